// Workshops in the static page: the sliders choose which of the drawn frames is seen. Nothing is computed here.
document.addEventListener("DOMContentLoaded", () => {
  for (const workshop of document.querySelectorAll(".workshop")) {
    const stage = workshop.querySelector(".workshop-stage");
    const sliders = [...workshop.querySelectorAll("input[type=range]")];
    const frames = new Map([...workshop.querySelectorAll(".frame")].map((frame) => [frame.dataset.stop, frame]));

    const show = () => {
      for (const slider of sliders) {
        const label = JSON.parse(slider.dataset.labels)[slider.value];
        slider.setAttribute("aria-valuetext", label);
        slider.nextElementSibling.textContent = label;
      }
      const stop = sliders.map((slider) => slider.value).join(",");
      for (const [name, frame] of frames) frame.hidden = name !== stop;
    };

    stage.append(...frames.values());
    workshop.querySelector(".workshop-frames").remove();
    workshop.querySelector(".workshop-controls").hidden = false;
    workshop.classList.add("workshop-ready");
    for (const slider of sliders) slider.addEventListener("input", show);

    // Room for the longest words at each slider, above the picture and below it: nothing moves but what is drawn.
    const height = (element) => element.getBoundingClientRect().height;
    const measureSliders = () => {
      for (const slider of sliders) {
        const row = slider.parentElement;
        row.style.minHeight = 0;
        const heights = JSON.parse(slider.dataset.labels).map((label) => {
          slider.nextElementSibling.textContent = label;
          return height(row);
        });
        row.style.minHeight = `${Math.max(...heights)}px`;
      }
      show();
    };
    const measureWords = (anew = true) => {
      for (const frame of frames.values()) frame.hidden = false;
      for (const part of ["reading", "basis"]) {
        const room = `--${part}-height`;
        if (anew) workshop.style.removeProperty(room);
        const words = [...stage.querySelectorAll(`.fig-${part}`)];
        workshop.style.setProperty(room, `${Math.max(0, ...words.map(height))}px`);
      }
      show();
    };
    const measure = () => {
      measureSliders();
      measureWords();
    };
    measure();
    document.fonts.ready.then(measure);
    new ResizeObserver(() => requestAnimationFrame(measure)).observe(workshop.querySelector(".workshop-controls"));
    // what the live view will say is not known before: while it is moved the room only grows
    workshop.addEventListener("drawn", () => measureWords(false));
  }
});

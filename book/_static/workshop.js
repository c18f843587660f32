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
      const measured = [...workshop.querySelectorAll("input[data-labels]")]; // those of the live view among them
      for (const slider of measured) slider.parentElement.style.minHeight = 0;
      for (const slider of measured) {
        const row = slider.parentElement;
        const output = row.querySelector("output");
        const words = output.textContent;
        const heights = JSON.parse(slider.dataset.labels).map((label) => {
          output.textContent = label;
          return height(row);
        });
        output.textContent = words;
        row.style.minHeight = `${Math.max(...heights)}px`;
      }
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

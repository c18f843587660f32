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
    show();
  }
});

// What the theme's pages lack.

// Paper is white: print in the light theme, whatever is on the screen.
const root = document.documentElement;
let onScreen;
addEventListener("beforeprint", () => {
  onScreen = root.dataset.theme;
  root.dataset.theme = "light";
});
addEventListener("afterprint", () => {
  root.dataset.theme = onScreen;
});

// A printed sentence wraps; the rows of a printed table stay whole, and scroll where they have no room.
document.addEventListener("DOMContentLoaded", () => {
  for (const output of document.querySelectorAll(".cell_output pre")) {
    const lines = output.textContent.trimEnd().split("\n");
    const widerThanTables = lines.some((line) => line.length > 100);
    output.classList.toggle("sentence", lines.length === 1 || widerThanTables);
  }
});

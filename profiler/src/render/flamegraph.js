"use strict";
// A click on a frame shows it, and what is inside it, as wide as the picture; "whole" shows everything again. "search" marks the
// frames whose names or tips hold a text. Without scripts the picture is whole, and nothing is missing but this.
(() => {
  const frames = [...document.querySelectorAll("#frames > g")].map((group) => ({
    group,
    rect: group.querySelector("rect"),
    text: group.querySelector("text"),
    label: group.dataset.label,
    x: Number(group.dataset.x),
    width: Number(group.dataset.w),
    y: Number(group.querySelector("rect").getAttribute("y")),
  }));
  if (frames.length === 0) return;
  const [reset, search] = ["reset", "search"].map((name) => document.getElementById(name));
  const all = frames.reduce((widest, frame) => (frame.width > widest.width ? frame : widest));
  const slack = all.width / 1e6;
  // As the picture was drawn: the room before a label, and the width of a letter.
  const padding = Number(all.text.getAttribute("x")) - all.x;
  const letter = 0.605 * parseFloat(document.getElementById("frames").getAttribute("font-size"));

  const fitted = (label, width) => {
    const letters = [...label];
    const room = Math.floor((width - 2 * padding) / letter);
    if (letters.length <= room) return label;
    return room < 3 ? "" : letters.slice(0, room - 1).join("") + "\u2026";
  };
  const show = (frame, x, width, faded) => {
    frame.group.style.display = "";
    frame.group.style.opacity = faded ? 0.5 : "";
    frame.rect.setAttribute("x", x);
    frame.rect.setAttribute("width", width - Math.min(1, width / 4));
    frame.text.setAttribute("x", x + padding);
    frame.text.textContent = fitted(frame.label, width);
  };
  const zoom = (to) => {
    const scale = all.width / to.width;
    for (const frame of frames) {
      const end = frame.x + frame.width;
      if (frame.y > to.y && frame.x <= to.x + slack && end >= to.x + to.width - slack) {
        show(frame, all.x, all.width, true);
      } else if (frame.y <= to.y && frame.x >= to.x - slack && end <= to.x + to.width + slack) {
        show(frame, all.x + (frame.x - to.x) * scale, frame.width * scale, false);
      } else {
        frame.group.style.display = "none";
      }
    }
    reset.setAttribute("visibility", to === all ? "hidden" : "visible");
  };
  const mark = (wanted) => {
    for (const { group, rect } of frames) {
      const found = wanted && group.querySelector("title").textContent.toLowerCase().includes(wanted.toLowerCase());
      rect.style.fill = found ? "#b000e0" : "";
    }
  };

  for (const frame of frames) {
    frame.group.style.cursor = "pointer";
    frame.group.addEventListener("click", () => zoom(frame));
  }
  reset.addEventListener("click", () => zoom(all));
  search.addEventListener("click", () => mark(prompt("Mark frames that hold this text; none to end", "")));
  search.setAttribute("visibility", "visible");
})();

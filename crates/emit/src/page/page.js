"use strict";
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const search = document.getElementById("search");
  const found = document.getElementById("found");
  const items = all(".item");
  const show = (isShown) => {
    let count = 0;
    for (const item of items) {
      const shown = isShown(item);
      item.classList.toggle("hidden", !shown);
      count += shown ? 1 : 0;
    }
    found.textContent = `${count} of ${items.length}`;
  };
  const clear = () => all(".chosen").forEach((one) => one.classList.remove("chosen"));
  const choose = (chosen, isShown) => {
    clear();
    search.value = "";
    chosen.forEach((one) => one.classList.add("chosen"));
    show(isShown);
  };
  const properties = (test) => (test.dataset.properties || "").split(" ");
  search.addEventListener("input", () => {
    clear();
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    show((item) => words.every((word) => item.textContent.toLowerCase().includes(word)));
  });
  document.getElementById("all").addEventListener("click", () => choose([], () => true));
  document.getElementById("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  const pick = (one) => {
    if (one.id.startsWith("p")) {
      choose([one], (item) => item === one || properties(item).includes(one.id));
    } else if (one.id.startsWith("t")) {
      const own = properties(one);
      choose([one], (item) => item === one || own.includes(item.id));
      const state = document.getElementById(one.dataset.state || "");
      if (state) state.classList.add("chosen");
    } else {
      const calls = all(".call").filter((call) => call.dataset.from === one.id);
      choose([one, ...calls], (item) => item.dataset.state === one.id);
      document.getElementById("state").textContent =
        `${one.dataset.way}${one.dataset.observed ? ": " + one.dataset.observed : ""}`;
    }
  };
  for (const one of all(".item, .state")) {
    one.addEventListener("click", () => pick(one));
    one.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        pick(one);
      }
    });
  }
  show(() => true);
})();

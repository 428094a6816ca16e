"use strict";
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  root.classList.add("js");

  const dark = () => (root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches);
  const button = byId("theme");
  const name = () => { button.textContent = dark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; name(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", name);
  name();
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));

  const source = byId("thresholds");
  if (!source) return;
  const { classes, frame } = JSON.parse(source.textContent);
  const slider = byId("cut"), which = byId("flagged-class"), miss = byId("cost-miss"), alarm = byId("cost-alarm");
  const percent = (share) => (Number.isFinite(share) ? `${(100 * share).toFixed(1)}%` : "–");
  const price = (input) => Math.max(0, Number(input.value) || 0);
  const at = (one, step) => {
    const hit = one.hits[step], flagged = hit + one.alarms[step];
    return {
      precision: hit / flagged, recall: hit / one.own, share: flagged / one.rows, flagged,
      cost: (one.own - hit) * price(miss) + one.alarms[step] * price(alarm),
    };
  };
  const across = (share) => frame.left + share * (frame.right - frame.left);
  const down = (share) => frame.bottom - share * (frame.bottom - frame.top);
  const path = (one, key) => one.hits
    .map((_, step) => [step / 100, at(one, step)[key]])
    .filter(([, value]) => Number.isFinite(value))
    .map(([x, value], place) => `${place ? "L" : "M"}${across(x).toFixed(1)} ${down(value).toFixed(1)}`).join("");
  const show = () => {
    const one = classes[which.value], step = Number(slider.value), found = at(one, step);
    const texts = {
      "cut-now": (step / 100).toFixed(2), precision: percent(found.precision), recall: percent(found.recall),
      share: percent(found.share), cost: (1000 * found.cost / one.rows).toFixed(1),
      words: `${found.flagged} of ${one.rows} judged rows are taken for ${one.name}`,
    };
    for (const [id, text] of Object.entries(texts)) byId(`live-${id}`).textContent = text;
    slider.setAttribute("aria-valuetext", `${texts["cut-now"]}: ${texts.words}`);
    byId("live-mark").setAttribute("transform", `translate(${across(step / 100).toFixed(1)} 0)`);
  };
  const draw = () => {
    for (const key of ["precision", "recall", "share"]) byId(`curve-${key}`).setAttribute("d", path(classes[which.value], key));
    show();
  };
  byId("cheapest").addEventListener("click", () => {
    const one = classes[which.value];
    let best = 0;
    one.hits.forEach((_, step) => { if (at(one, step).cost < at(one, best).cost) best = step; });
    slider.value = best;
    show();
  });
  which.addEventListener("change", draw);
  for (const input of [slider, miss, alarm]) input.addEventListener("input", show);
  draw();
})();

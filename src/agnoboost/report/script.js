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
  const width = (one) => one.cuts.at(-1) - one.cuts[0];
  const digits = (one) => Math.max(2, 2 - Math.floor(Math.log10(width(one))));
  const across = (one, cut) => frame.left + ((cut - one.cuts[0]) / width(one)) * (frame.right - frame.left);
  const down = (share) => frame.bottom - share * (frame.bottom - frame.top);
  const path = (one, key) => one.cuts
    .map((cut, step) => [cut, at(one, step)[key]])
    .filter(([, value]) => Number.isFinite(value))
    .map(([x, value], place) => `${place ? "L" : "M"}${across(one, x).toFixed(1)} ${down(value).toFixed(1)}`).join("");
  const move = (id, one, step) => byId(id).setAttribute("transform", `translate(${across(one, one.cuts[step]).toFixed(1)} 0)`);
  const show = () => {
    const one = classes[which.value], step = Number(slider.value), found = at(one, step);
    const texts = {
      "cut-now": one.cuts[step].toFixed(digits(one)) + (step === one.place ? " (the model's own)" : ""),
      precision: percent(found.precision), recall: percent(found.recall),
      share: percent(found.share), cost: (1000 * found.cost / one.rows).toFixed(1),
      words: `${found.flagged} of ${one.rows} judged rows are taken for ${one.name}`,
    };
    for (const [id, text] of Object.entries(texts)) byId(`live-${id}`).textContent = text;
    slider.setAttribute("aria-valuetext", `${texts["cut-now"]}: ${texts.words}`);
    move("live-mark", one, step);
  };
  const own = () => { slider.value = classes[which.value].place; show(); };
  const draw = () => {
    const one = classes[which.value];
    for (const key of ["precision", "recall", "share"]) byId(`curve-${key}`).setAttribute("d", path(one, key));
    [...byId("cut-marks").children].forEach((mark, place) => {
      mark.textContent = String(Number((one.cuts[0] + (place / 4) * width(one)).toPrecision(6)));
    });
    move("own-mark", one, one.place);
    own();
  };
  byId("cheapest").addEventListener("click", () => {
    const one = classes[which.value];
    let best = 0;
    one.hits.forEach((_, step) => { if (at(one, step).cost < at(one, best).cost) best = step; });
    slider.value = best;
    show();
  });
  byId("own").addEventListener("click", own);
  // A miss of one class is a false alarm of the other.
  which.addEventListener("change", () => { [miss.value, alarm.value] = [alarm.value, miss.value]; draw(); });
  for (const input of [slider, miss, alarm]) input.addEventListener("input", show);
  draw();
})();

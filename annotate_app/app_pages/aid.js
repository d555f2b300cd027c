// What a page needs from the browser itself: single keys, passages marked as evidence, time away from the page.
// Every choice goes through the page's own widgets, so that a key does exactly what a click does.
const QUIET_MS = 120000;
const PAUSE_MS = 1200;
const SETTLED_MS = 500;
const TRIES = 3;
const CLICKED = "polibias-clicked";

// Each run of the page hands over new data; listeners are set once and read what is newest.
const now = (window.polibias ??= { page: "", cards: [], current: "", seen: 0, quiet: QUIET_MS });

export default function (component) {
  const mine = now.data = JSON.parse(new TextDecoder().decode(component.data));
  now.tell = component.setTriggerValue;
  now.cards = now.data.cards;
  if (now.page !== now.data.page) {
    now.page = now.data.page;
    now.current = now.data.cards[0] ?? "";
    now.seen = Date.now();
    now.gap = "";
    now.blanks = 0;
  }
  // A submission that was refused leads to what is missing, once for each gap.
  if (now.data.gap && now.data.gap !== now.gap) {
    now.current = now.data.gap;
    card(now.current)?.scrollIntoView({ block: "nearest" });
  }
  now.gap = now.data.gap;
  mark();
  listen();
  revive();
  // What is taken away may be an elder drawing than the one that stands.
  return () => { if (now.data === mine) now.data = null; };
}

function listen() {
  if (now.listening) return;
  now.listening = true;
  document.addEventListener("keydown", pressed);
  document.addEventListener("focusin", (event) => follow(event.target));
  document.addEventListener("input", (event) => written(event.target), { capture: true });
  document.addEventListener("change", (event) => clicked(event.target), { capture: true });
  for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "scroll", "touchstart", "focusin"]) {
    document.addEventListener(kind, here, { capture: true, passive: true });
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden) here(); });
  // A wide table or a hidden page changes nothing about where the reader is; a card redrawn by a click does.
  new MutationObserver(mark).observe(document.body, { childList: true, subtree: true });
  const states = { attributeFilter: ["data-test-connection-state", "data-test-script-state"] };
  new MutationObserver(revive).observe(document.body, { childList: true, subtree: true, ...states });
}

// A connection that breaks in the middle of a drawing can leave the page empty or cut short, or filled again but with
// choices blank. All of them are stored: a page without its foot is loaded anew, as its reader would do, and blank
// choices are drawn anew.
function revive() {
  const { connected, drawing } = app();
  if (!connected) now.broke = true;
  clearTimeout(now.look);
  if (connected && !drawing) now.look = setTimeout(settled, SETTLED_MS);
}

function settled() {
  const { connected, drawing } = app();
  if (!connected || drawing) return;
  if (now.broke && !document.querySelector(".st-key-foot")) return location.reload();
  if (!now.data || fill()) return;
  again(now.broke);
  now.broke = false;
}

function app() {
  const { testConnectionState, testScriptState } = document.querySelector('[data-testid="stApp"]')?.dataset ?? {};
  const connected = testConnectionState === "CONNECTED";
  return { connected, drawing: connected && testScriptState !== "notRunning" };
}

function fill() {
  const boxes = now.data.cards.map(card);
  if (boxes.includes(null) || now.blanks >= TRIES) return false;
  const chosen = (box) => [...box.querySelectorAll('input:checked, input[role="combobox"]')].filter((one) => one.value);
  const blank = boxes.flatMap(chosen).length < now.data.chosen;
  now.blanks = blank ? now.blanks + 1 : 0;
  if (blank) now.tell("blank", { page: now.page });
  return blank;
}

// A click that went out on a connection that broke, or right before the page was loaded anew, may never have arrived.
// What was clicked since the page last stood still is kept, and clicked once more where it does not stand.
function clicked(radio) {
  // While the page is drawn anew its data may be gone; its cards are still there.
  const part = radio.type === "radio" && now.cards.find((one) => card(one)?.contains(radio));
  if (!part) return;
  const place = groups(part).findIndex((radios) => radios.includes(radio));
  const kept = clicks().page === now.page ? clicks().made : [];
  const others = kept.filter((one) => one.part !== part || one.place !== place);
  const made = [...others, { part, place, option: groups(part)[place].indexOf(radio) }];
  sessionStorage.setItem(CLICKED, JSON.stringify({ page: now.page, since: performance.timeOrigin, made }));
}

function clicks() {
  return JSON.parse(sessionStorage.getItem(CLICKED)) ?? { page: "", since: 0, made: [] };
}

function again(broke) {
  const { page, since, made } = clicks();
  sessionStorage.removeItem(CLICKED);
  if (page !== now.page || !(broke || since !== performance.timeOrigin)) return;
  for (const { part, place, option } of made) {
    const radios = groups(part)[place];
    if (!radios?.[option]?.checked) choose(radios, option);
  }
}

// A comment is stored when its writer pauses: Streamlit itself waits until the field is left.
function written(field) {
  if (field.tagName !== "TEXTAREA") return;
  clearTimeout(now.pause);
  now.pause = setTimeout(() => {
    const apply = { key: "Enter", code: "Enter", ctrlKey: true, bubbles: true };
    if (field.isConnected) field.dispatchEvent(new KeyboardEvent("keydown", apply));
  }, PAUSE_MS);
}

// Somebody is here. After a long quiet the page says how long it was, so that it does not count as work.
function here() {
  if (document.hidden || !now.data) return;
  const quiet = Date.now() - now.seen;
  now.seen = Date.now();
  if (quiet > QUIET_MS) now.tell("idle", { page: now.page, seconds: Math.round(quiet / 100) / 10 });
}

function card(part) {
  return document.querySelector(`.st-key-${CSS.escape(now.page)}-card-${CSS.escape(part)}`);
}

function mark() {
  if (!now.data) return;
  for (const part of now.data.cards) {
    const box = card(part);
    const current = String(part === now.current && now.data.keys);
    if (box && box.dataset.current !== current) box.dataset.current = current;
  }
}

function follow(target) {
  const found = now.data?.cards.find((part) => card(part)?.contains(target));
  if (found) { now.current = found; mark(); }
}

function go(step) {
  const cards = now.data.cards;
  const next = Math.min(cards.length - 1, Math.max(0, cards.indexOf(now.current) + step));
  now.current = cards[next];
  mark();
  card(now.current)?.scrollIntoView({ block: "nearest" });
}

// The groups of choices in a card, in order; a group that is switched off takes no key.
function groups(part) {
  const found = card(part)?.querySelectorAll('[role="radiogroup"]') ?? [];
  return [...found].map((group) => [...group.querySelectorAll('input[type="radio"]')]);
}

function choose(radios, place) {
  const radio = radios?.[place];
  if (!radio || radio.disabled) return false;
  radio.click();
  return true;
}

function typing(target) {
  return target.closest?.('textarea, select, [contenteditable="true"], [role="combobox"], [role="textbox"]')
    || (target.tagName === "INPUT" && target.type !== "radio" && target.type !== "checkbox");
}

function pressed(event) {
  if (!now.data?.keys || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.repeat || typing(event.target)) return;
  const action = actions[event.key.toLowerCase()] ?? (/^[0-9]$/.test(event.key) ? () => digit(event.key) : null);
  if (!action || action() === false) return;
  event.preventDefault();
  event.stopPropagation();
}

const actions = {
  j: () => go(1),
  k: () => go(-1),
  a: () => side(0),
  b: () => side(1),
  n: () => side(2),
  s: () => button("submit"),
  p: () => button("back"),
  f: () => button("forward"),
  q: () => quote(),
};

function button(name) {
  const found = document.querySelector(`.st-key-${CSS.escape(now.data.page)}-${name} button`);
  if (!found || found.disabled) return false;
  found.click();
}

// A digit is a point of the scale where the card has one, else the place of an option from 1.
function digit(key) {
  const how = now.data.digits[now.current];
  if (!how) return false;
  const open = groups(now.current);
  const target = how.from === 0 ? open[0] : open.find((radios) => !radios.some((radio) => radio.checked)) ?? open[0];
  if (!choose(target, Number(key) - how.from)) return false;
  const last = how.from === 1 && target === open[open.length - 1];
  if (last || (key === "0" && now.data.zero)) go(1);
}

// Who is favoured is asked last in a card; then the next card is at hand.
function side(place) {
  if (!now.data.sides.includes(now.current)) return false;
  const open = groups(now.current);
  if (!choose(open[open.length - 1], place)) return false;
  go(1);
}

// The marked passage of one response becomes evidence for the card at hand.
function quote() {
  const selection = window.getSelection();
  const text = selection?.toString() ?? "";
  if (!text.trim()) return false;
  for (const version of [1, 2]) {
    const pane = document.querySelector(`.st-key-${CSS.escape(now.data.page)}-response${version}`);
    if (pane?.contains(selection.anchorNode) && pane.contains(selection.focusNode)) {
      now.tell("quote", { page: now.page, part: now.current, version, text });
      selection.removeAllRanges();
      return;
    }
  }
  return false;
}

// A button that takes the marked passage must not unmark it when it is pressed.
document.addEventListener("mousedown", (event) => {
  const box = event.target.closest?.("[class*='-quote-']");
  if (box) event.preventDefault();
}, { capture: true });
document.addEventListener("click", (event) => {
  const box = event.target.closest?.("[class*='-quote-']");
  if (!box || !now.data) return;
  follow(box);
  quote();
}, { capture: true });

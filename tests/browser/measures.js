// What the tests measure in a page. Each function returns a list of texts that say what is wrong, and where.
const isShown = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true }) && element.getClientRects().length > 0;
const where = (element) => {
  const parts = [];
  for (let at = element; at && at !== document.body && parts.length < 4; at = at.parentElement) {
    const classes = [...at.classList].map((name) => `.${name}`).join("");
    parts.unshift(at.tagName.toLowerCase() + (at.id ? `#${at.id}` : "") + classes);
  }
  const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
  return `${parts.join(" > ")}${text ? `: ${text}` : ""}`;
};
const scrolls = (style) => ["auto", "scroll"].includes(style.overflowX);
const firstFew = (all) => all.slice(0, 8).concat(all.length > 8 ? [`and ${all.length - 8} more`] : []);

// Boxes that leave the page's width and are not inside something that scrolls and can have the focus, and texts that
// are cut. On paper nothing scrolls.
const overflows = (onPaper) => {
  const wrong = [];
  const width = document.documentElement.clientWidth;
  const page = document.scrollingElement;
  if (page.scrollWidth > width) wrong.push(`the page is ${page.scrollWidth} wide in a window of ${width}`);
  for (const element of document.querySelectorAll("body, body *")) {
    if (!isShown(element)) continue;
    const style = getComputedStyle(element);
    const isScroller = !onPaper && scrolls(style);
    if (isScroller && element.scrollWidth > element.clientWidth + 1 && element.tabIndex < 0) {
      wrong.push(`scrolls and cannot have the focus: ${where(element)}`);
    }
    if (["hidden", "clip"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1) {
      wrong.push(`text is cut: ${where(element)}`);
    }
    if (onPaper && scrolls(style) && element.scrollWidth > element.clientWidth + 1) {
      wrong.push(`text is cut on paper: ${where(element)}`);
    }
    const box = element.getBoundingClientRect();
    // What is put aside for screen readers is outside on purpose.
    if (box.right <= 0 || (box.right <= width + 1 && box.left >= -1)) continue;
    let around = element.parentElement;
    while (around && !scrolls(getComputedStyle(around))) around = around.parentElement;
    if (onPaper || !around || around.tabIndex < 0) {
      wrong.push(`from ${Math.round(box.left)} to ${Math.round(box.right)} of ${width}: ${where(element)}`);
    }
  }
  return firstFew(wrong);
};

const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
const parsed = new Map();
// Red, green, blue from 0 to 255 and alpha from 0 to 1, of any color that CSS can write.
const color = (text) => {
  if (!parsed.has(text)) {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = text;
    canvas.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
    parsed.set(text, [r, g, b, a / 255]);
  }
  return parsed.get(text);
};
const over = ([r, g, b, a], [r2, g2, b2]) => [r * a + r2 * (1 - a), g * a + g2 * (1 - a), b * a + b2 * (1 - a), 1];
const luminance = (of) => {
  const [r, g, b] = of.map((part) => (part / 255 <= 0.03928 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ratio = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};
const backgrounds = new Map();
const background = (element) => {
  if (!element) return color(getComputedStyle(document.documentElement).colorScheme.includes("dark") && matchMedia("(prefers-color-scheme: dark)").matches ? "#121212" : "#fff");
  if (!backgrounds.has(element)) {
    const style = getComputedStyle(element);
    backgrounds.set(element, style.backgroundImage === "none" ? over(color(style.backgroundColor), background(element.parentElement)) : null);
  }
  return backgrounds.get(element);
};

// Texts with too little contrast to what is behind them.
const contrasts = () => {
  const worst = new Map();
  const check = (element, style, text, what) => {
    const behind = background(element);
    if (!behind) return;
    const [r, g, b, alpha] = color(style.color);
    let opacity = alpha;
    for (let at = element; at; at = at.parentElement) opacity *= Number(getComputedStyle(at).opacity);
    const size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const found = ratio(over([r, g, b, opacity], behind), behind);
    if (found >= least) return;
    const key = `${style.color} on ${behind.slice(0, 3).map(Math.round)}`;
    if (!worst.has(key)) worst.set(key, `${found.toFixed(2)} instead of ${least}, ${key}${what}: ${where(element)}`);
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement;
    if (node.data.trim() && isShown(element) && !element.closest("title")) check(element, getComputedStyle(element), node.data, "");
  }
  for (const element of document.querySelectorAll("body *")) {
    if (!isShown(element)) continue;
    for (const pseudo of ["::before", "::after"]) {
      const style = getComputedStyle(element, pseudo);
      if (!["none", "normal", '""'].includes(style.content)) check(element, style, style.content, ` ${pseudo}`);
    }
    if (element.placeholder) check(element, getComputedStyle(element, "::placeholder"), element.placeholder, " placeholder");
  }
  return firstFew([...worst.values()]);
};

// What a screen reader needs.
const name = (element) => {
  const labelledBy = (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  const byOthers = labelledBy.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  const own = element.getAttribute("aria-label") ?? element.getAttribute("alt") ?? "";
  const label = element.labels?.[0]?.textContent ?? "";
  const title = element.querySelector(":scope > title")?.textContent ?? element.title ?? "";
  return (byOthers || own || label || title || (element.matches("svg, img, input, [role=region], nav, section, pre") ? "" : element.textContent)).trim();
};
const inaccessible = () => {
  const wrong = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const named = "svg, img, input, button, a[href], summary, [role=region], [role=listbox], [tabindex='0'], nav";
  for (const element of all(named).filter((element) => !name(element))) wrong.push(`has no name: ${where(element)}`);
  for (const element of all("a:not([href])")) wrong.push(`a link to nowhere: ${where(element)}`);
  if (!document.documentElement.lang) wrong.push("the page has no language");
  if (!document.title.trim()) wrong.push("the page has no title");
  if (all("h1").length !== 1) wrong.push(`${all("h1").length} headings of the first level`);
  for (const landmark of ["header", "nav", "main", "footer"]) {
    if (!all(`${landmark}`).length) wrong.push(`there is no ${landmark}`);
  }
  if (all("main").length > 1) wrong.push("there are several main");
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6").filter(isShown)) {
    const own = Number(heading.tagName[1]);
    if (own > level + 1) wrong.push(`h${own} after h${level}: ${where(heading)}`);
    if (!heading.textContent.trim()) wrong.push(`an empty heading: ${where(heading)}`);
    level = own;
  }
  for (const table of all("table")) {
    if (!table.querySelector("thead th")) wrong.push(`a table without headings: ${where(table)}`);
    const columns = (row) => [...row.cells].reduce((sum, cell) => sum + cell.colSpan, 0);
    const wanted = table.tHead ? columns(table.tHead.rows[0]) : 0;
    const odd = [...table.rows].find((row) => columns(row) !== wanted);
    if (odd) wrong.push(`${columns(odd)} cells below ${wanted} headings: ${where(odd)}`);
  }
  for (const attribute of ["aria-labelledby", "aria-controls", "aria-describedby", "aria-activedescendant"]) {
    for (const element of all(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(/\s+/)) {
        if (!document.getElementById(id)) wrong.push(`${attribute} is ${id}, which is not there: ${where(element)}`);
      }
    }
  }
  for (const landmark of ["nav", "[role=region]"]) {
    const names = all(landmark).map(name);
    const twice = names.find((text, at) => names.indexOf(text) !== at);
    if (twice) wrong.push(`two ${landmark} are called ${twice}`);
  }
  return firstFew(wrong);
};

// What can have the focus by Tab, in order.
const tabbable = () => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")].filter((element) => isShown(element) && !element.disabled);
const hasVisibleFocus = (element) => {
  const style = getComputedStyle(element);
  return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
};
// Whether some of an element is in the window, and nothing lies over it.
const isInView = (element) => {
  const box = element.getClientRects()[0];
  if (!box) return false;
  const header = document.querySelector("header");
  const above = getComputedStyle(header).position === "sticky" && element.closest("main") ? header.getBoundingClientRect().bottom : 0;
  const [from, to] = [Math.max(box.top, above), Math.min(box.bottom, innerHeight)];
  if (from > to) return false;
  const [x, y] = [box.left + Math.min(box.width / 2, 20), from + Math.min((to - from) / 2, 10)];
  const top = document.elementFromPoint(x, y);
  return Boolean(top) && (element.contains(top) || top.contains(element));
};

// The text of the page without what scripts add to it.
const textWithoutControls = () => {
  const main = document.querySelector("main").cloneNode(true);
  main.querySelectorAll(".filter, .copy, input, output").forEach((element) => element.remove());
  return main.textContent.replace(/\s+/g, " ").trim();
};
// Boxes with nothing in them, and controls.
const uselessWithoutScripts = () => {
  const wrong = [];
  for (const element of document.querySelectorAll("button, input, select, textarea, [onclick]")) {
    if (isShown(element)) wrong.push(`a control without effect: ${where(element)}`);
  }
  for (const element of document.querySelectorAll("div, section, article, nav, p, ul, ol, dl, dd, span, pre, h2, h3")) {
    const box = element.getBoundingClientRect();
    const isEmpty = !element.textContent.trim() && !element.querySelector("svg, img");
    if (isEmpty && isShown(element) && box.width > 0 && box.height > 0) wrong.push(`nothing is in it: ${where(element)}`);
  }
  return firstFew(wrong);
};
const shownTexts = () => document.body.innerText;

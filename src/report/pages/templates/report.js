// What the pages can do beyond showing everything: search, filters, sorting, copying. They are complete without it.
"use strict";
(() => {
  const root = document.currentScript.dataset.root;
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

  // A filter above each long table; what it was set to stays in the address.
  const filters = () => {
    for (const table of document.querySelectorAll("table.filterable")) {
      const rows = [...table.tBodies[0].rows];
      if (rows.length < 6) continue;
      const name = table.dataset.filter;
      const input = make("input", { type: "search", placeholder: `Filter ${rows.length} ${name}` });
      input.setAttribute("aria-label", `Filter ${name}`);
      const count = make("output", {});
      const texts = rows.map((row) => row.textContent.toLowerCase());
      const apply = () => {
        const wanted = words(input.value);
        let shown = 0;
        rows.forEach((row, at) => {
          row.hidden = !wanted.every((word) => texts[at].includes(word));
          shown += row.hidden ? 0 : 1;
        });
        count.textContent = wanted.length ? `${shown} of ${rows.length}` : "";
      };
      input.addEventListener("input", () => {
        apply();
        const address = new URL(location.href);
        if (input.value) address.searchParams.set(name, input.value);
        else address.searchParams.delete(name);
        history.replaceState(null, "", address);
      });
      input.value = new URLSearchParams(location.search).get(name) ?? "";
      const box = make("div", { className: "filter" });
      box.append(input, count);
      table.parentElement.before(box);
      apply();
    }
  };

  // A click on a heading sorts by it: numbers downwards first, words upwards.
  const sorting = () => {
    for (const table of document.querySelectorAll("table.sortable")) {
      const body = table.tBodies[0];
      const headings = [...table.tHead.rows[0].cells];
      headings.forEach((heading, column) => {
        const button = make("button", { type: "button" });
        button.append(...heading.childNodes);
        heading.append(button);
        button.addEventListener("click", () => {
          const isNumber = heading.classList.contains("n");
          const before = heading.getAttribute("aria-sort");
          const up = before ? before === "descending" : !isNumber;
          const key = (row) => row.cells[column]?.textContent.trim() ?? "";
          const number = (text) => Number(text.replaceAll(",", "")) || 0;
          const order = isNumber ? (a, b) => number(a) - number(b) : (a, b) => a.localeCompare(b, "en", { numeric: true });
          const keyed = [...body.rows].map((row) => [key(row), row]);
          keyed.sort(([a], [b]) => (up ? order(a, b) : order(b, a)));
          body.append(...keyed.map(([, row]) => row));
          headings.forEach((other) => other.removeAttribute("aria-sort"));
          heading.setAttribute("aria-sort", up ? "ascending" : "descending");
        });
      });
    }
  };

  const copying = () => {
    if (!navigator.clipboard) return;
    for (const command of document.querySelectorAll(".card .command, details .command")) {
      const button = make("button", { type: "button", className: "copy", textContent: "copy" });
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(command.textContent);
        button.textContent = "copied";
      });
      command.after(button);
    }
  };

  // What an address points to may be inside something closed, or filtered out.
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
      at.hidden = false;
    }
    target.scrollIntoView();
  };

  // The search knows every instruction, modifier, rule, finding and divergence. Its entries load when it is first used.
  const search = () => {
    const place = document.getElementById("search");
    const input = make("input", { type: "search", placeholder: "Search: ld .L2::evict_last", autocomplete: "off" });
    input.setAttribute("aria-label", "Search instructions, modifiers, rules, findings");
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-expanded", "false");
    input.setAttribute("aria-controls", "results");
    const list = make("ol", { id: "results", hidden: true });
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Results");
    place.append(input, list);
    let entries = null;
    let selected = -1;
    const load = () => {
      if (entries) return;
      entries = [];
      const script = make("script", { src: `${root}search.js` });
      script.addEventListener("load", () => {
        entries = window.ptxSearch.map(([text, address, kind, says]) => ({ text, address, kind, says, lower: text.toLowerCase(), all: `${text} ${kind} ${says}`.toLowerCase() }));
        find();
      });
      document.head.append(script);
    };
    const links = () => [...list.querySelectorAll("a")];
    const select = (at) => {
      selected = at;
      links().forEach((link, position) => link.setAttribute("aria-selected", String(position === at)));
      const link = links()[at];
      link?.scrollIntoView({ block: "nearest" });
      if (link) input.setAttribute("aria-activedescendant", link.id);
      else input.removeAttribute("aria-activedescendant");
    };
    const rank = (entry, wanted, whole) => {
      if (entry.lower === whole) return 0;
      if (entry.lower.startsWith(whole)) return 1;
      return wanted.every((word) => entry.lower.includes(word)) ? 2 : 3;
    };
    const find = () => {
      const whole = input.value.trim().toLowerCase();
      const wanted = words(input.value);
      const found = [];
      if (wanted.length && entries) {
        for (const entry of entries) {
          if (wanted.every((word) => entry.all.includes(word))) found.push([rank(entry, wanted, whole), entry.text.length, entry]);
        }
        found.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      }
      list.replaceChildren(...found.slice(0, 30).map(([, , entry], at) => {
        const link = make("a", { href: root + entry.address, id: `result-${at}` });
        link.setAttribute("role", "option");
        link.append(make("code", { textContent: entry.text }), " ", make("small", { textContent: `${entry.kind}: ${entry.says}` }));
        const item = make("li", {});
        item.setAttribute("role", "presentation");
        item.append(link);
        return item;
      }));
      if (wanted.length && !found.length && entries?.length) {
        list.append(make("li", { textContent: "Nothing has all of these words." }));
      }
      list.hidden = !wanted.length;
      input.setAttribute("aria-expanded", String(!list.hidden));
      select(found.length ? 0 : -1);
    };
    input.addEventListener("focus", load);
    input.addEventListener("input", find);
    input.addEventListener("keydown", (event) => {
      const count = links().length;
      if (event.key === "ArrowDown" && count) select((selected + 1) % count);
      else if (event.key === "ArrowUp" && count) select((selected + count - 1) % count);
      else if (event.key === "Enter" && links()[selected]) links()[selected].click();
      else if (event.key === "Escape") { input.value = ""; find(); }
      else return;
      event.preventDefault();
    });
    document.addEventListener("click", (event) => { if (!place.contains(event.target)) list.hidden = true; else if (event.target.closest("a")) list.hidden = true; });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.closest("input, textarea");
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); input.focus(); }
    });
  };

  filters();
  sorting();
  copying();
  search();
  reveal();
  window.addEventListener("hashchange", reveal);
})();

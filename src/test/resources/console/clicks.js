// Clicks on everything that can be clicked on a page of the console, each time on the page anew, and says what went wrong.
// Given in place of HASHES: the addresses of the pages.
(async () => {
  const asked = [];
  let inWork = 0;
  const fetched = window.fetch;
  window.fetch = async (...given) => {
    inWork++;
    try {
      const answer = await fetched(...given);
      // Its body comes later than its head, and is what is drawn.
      await answer.clone().arrayBuffer();
      asked.push([answer.status, `${given[1]?.method} ${new URL(given[0]).pathname}`]);
      return answer;
    } finally {
      // Whoever asked draws what came of it before this is noticed.
      setTimeout(() => inWork--, 0);
    }
  };
  const thrown = [];
  window.addEventListener('error', (event) => thrown.push(event.message));
  window.addEventListener('unhandledrejection', (event) => thrown.push(String(event.reason)));
  // A file is not saved, and nothing is copied: neither is allowed in a browser without a window.
  HTMLAnchorElement.prototype.click = function click() {
    if (!this.download) HTMLElement.prototype.click.call(this);
  };
  Object.defineProperty(navigator, 'clipboard', { value: { writeText: async () => {} } });

  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
  const settled = async () => {
    await frame();
    do {
      await frame();
      await frame();
    } while (inWork > 0 || document.querySelector('.skeleton'));
  };
  const open = async (hash) => {
    // Each time drawn anew.
    location.hash = '#/nowhere';
    await frame();
    location.hash = hash;
    await settled();
  };
  const nameOf = (element) => {
    const cell = element.closest('td');
    const name = cell
      ? `${cell.closest('table').caption.innerText} ${cell.cellIndex}`
      : element.getAttribute('aria-label') || element.closest('label')?.innerText.split('\n')[0] || element.innerText;
    return `${element.tagName.toLowerCase()} "${name.trim()}"`;
  };
  const FOUND = 'main button, main a[href], main select, main summary, main input[type=checkbox], .side button.menu';
  const found = () => {
    const all = new Map();
    for (const element of document.querySelectorAll(FOUND)) {
      if (!element.disabled && element.checkVisibility() && !all.has(nameOf(element))) all.set(nameOf(element), element);
    }
    return all;
  };

  const faults = [];
  const clicked = [];
  const look = (what) => {
    const faulty = document.querySelectorAll('main .problem, main .stale, dialog .problem, .announcement.failed');
    faulty.forEach((box) => faults.push(`${what}: ${box.innerText}`));
    asked.filter(([status]) => status >= 400).forEach((one) => faults.push(`${what}: ${one.join(' ')}`));
    thrown.forEach((text) => faults.push(`${what}: ${text}`));
    asked.length = 0;
    thrown.length = 0;
  };
  const choose = async (select, what) => {
    for (const { value } of [...select.options]) {
      select.value = value;
      select.dispatchEvent(new Event('change', { bubbles: true }));
      await settled();
      look(`${what} ${value}`);
    }
  };
  /** What is for good is done in ConsoleStoryIT. */
  const dialogue = async (what) => {
    const dialog = document.querySelector('dialog[open]');
    if (!dialog) return;
    if (dialog.classList.contains('danger')) {
      dialog.querySelector('.dialog-actions button').click();
    } else {
      for (const field of dialog.querySelectorAll('input:required, input[type=number]')) {
        if (!field.value) field.value = field.type === 'number' ? '1000' : 'clicked';
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
      const last = dialog.querySelector('.dialog-actions button:last-child');
      clicked.push(`${what}, button "${last.innerText}"`);
      last.click();
      await settled();
      look(`${what}, ${last.innerText}`);
      const again = document.querySelector('dialog[open] .dialog-actions button');
      if (again) {
        clicked.push(`${what}, button "${again.innerText}"`);
        again.click();
      }
    }
    await settled();
  };

  for (const hash of HASHES) {
    await open(hash);
    look(hash);
    for (const name of found().keys()) {
      await open(hash);
      const what = `${hash} ${name}`;
      const element = found().get(name);
      if (!element) {
        faults.push(`${what}: it is there only sometimes`);
        continue;
      }
      clicked.push(what);
      if (element.tagName === 'SELECT') {
        await choose(element, what);
      } else {
        element.click();
        await settled();
        look(what);
        await dialogue(what);
        look(what);
        const left = document.querySelector('dialog[open]');
        if (left) faults.push(`${what}: the dialogue stays`);
      }
    }
  }
  return { faults, clicked };
})()

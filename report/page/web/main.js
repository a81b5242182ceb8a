// The page: its tabs, and what is shown of them, which stands in the address, so that it can be sent and gone back to.

const READS_VERSION = 1;  // of the header
const USUAL = {
  tab: 'first', metric: '', part: '', frames: 'mixed', colour: 'kind', lines: '', search: '', focus: '', ignore: '', hide: '',
  pivot: '', zoom: '', view: '', file: '', line: '', t0: '', t1: '', finding: '', theme: ''
};

// An element; texts are texts, whatever they hold. `on`: listeners; `data`: data attributes.
function el(name, properties = {}, ...children) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key === 'on') for (const [event, listener] of Object.entries(value)) out.addEventListener(event, listener);
    else if (key === 'data') Object.assign(out.dataset, value);
    else if (key === 'class') out.className = value;
    else out.setAttribute(key, value);
  }
  out.append(...children.filter(child => child !== ''));
  return out;
}

class App {
  constructor(bundle) {
    this.bundle = bundle;
    this.state = this.fromAddress();
    this.stacks = new Stacks(bundle);
    this.source = new SourceView(this);
    this.views = {
      first: ['Summary', new FirstView(this)], flame: ['Flame graph', new FlameView(this)], tables: ['Tables', new TablesView(this)],
      source: ['Source', this.source], time: ['Time', new TimeView(this)]
    };
    this.tips = el('div', {class: 'tip', role: 'tooltip', hidden: ''});
    this.tabs = el('nav', {class: 'tabs', 'aria-label': 'parts of the page'});
    document.getElementById('top').append(el('h1', {title: bundle.header.first.command}, bundle.header.first.command), this.tabs);
    document.body.append(this.tips);
    addEventListener('popstate', () => {
      this.state = this.fromAddress();
      this.show();
    });
    addEventListener('keydown', event => this.key(event));
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.show());
    this.show();
  }

  get dark() {
    const theme = this.state.theme;
    return theme === 'dark' || (theme === '' && matchMedia('(prefers-color-scheme: dark)').matches);
  }
  get ink() {
    return this.dark ? '#e8e8e8' : '#222';
  }

  fromAddress() {
    const state = {...USUAL};
    for (const [key, value] of new URLSearchParams(location.hash.slice(1))) if (Object.hasOwn(USUAL, key)) state[key] = value;
    // What no page of this run has is as if it were not there.
    const id = Number(state.pivot);
    if (!(Number.isInteger(id) && id >= 0 && id < this.bundle.column(this.bundle.header.stacks.places.functions.name).length)) state.pivot = '';
    return state;
  }

  link(changes) {
    const words = new URLSearchParams();
    for (const [key, value] of Object.entries({...this.state, ...changes})) if (value !== USUAL[key]) words.set(key, value);
    return '#' + words;
  }

  // `quietly`: no step that the back button goes back.
  change(changes, quietly = false) {
    const link = this.link(changes);
    history[quietly ? 'replaceState' : 'pushState'](null, '', link);
    this.state = this.fromAddress();
    this.show();
  }

  show() {
    document.documentElement.dataset.theme = this.state.theme;
    const tab = Object.hasOwn(this.views, this.state.tab) ? this.state.tab : 'first', main = document.getElementById('main');
    const next = {'': 'dark', dark: 'light'}[this.state.theme] ?? '';
    this.tabs.replaceChildren(...Object.entries(this.views).map(([name, [title]]) =>
      el('a', {href: this.link({tab: name}), 'aria-current': name === tab ? 'page' : 'false'}, title)),
      el('button', {type: 'button', class: 'theme', title: 'dark, light, or as the system has it', on: {click: () => this.change({theme: next}, true)}},
         {'': 'theme: system', dark: 'theme: dark', light: 'theme: light'}[this.state.theme] ?? 'theme'));
    const view = this.views[tab][1];
    const fresh = main.firstChild !== view.element;
    if (fresh) main.replaceChildren(view.element);
    this.tip(null);
    view.show(fresh);
  }

  key(event) {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === '/' && !typing) {
      event.preventDefault();
      if (this.state.tab !== 'flame') this.change({tab: 'flame'});
      document.getElementById('search')?.focus();
    }
    const number = Number(event.key);
    if (!typing && !event.ctrlKey && !event.altKey && !event.metaKey && number >= 1 && number <= 5)
      this.change({tab: Object.keys(this.views)[number - 1]});
  }

  sourceLink(file, line, text) {
    return el('a', {href: this.link({tab: 'source', file, line: line > 0 ? String(line) : ''})}, text);
  }

  // Rows of two texts beside the pointer; null: nothing.
  tip(event, rows = []) {
    this.tips.hidden = event === null;
    if (event === null) return;
    this.tips.replaceChildren(...rows.map(([name, value]) => el('div', {}, el('span', {}, name), el('span', {class: 'number'}, value))));
    const {width, height} = this.tips.getBoundingClientRect();
    this.tips.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8)) + 'px';
    this.tips.style.top = (event.clientY + 18 + height > innerHeight ? Math.max(4, event.clientY - height - 10) : event.clientY + 18) + 'px';
  }
}

async function main() {
  const place = document.getElementById('main');
  try {
    if (!('DecompressionStream' in window)) throw new Error('this browser is too old: it needs Firefox 113, Chrome 80 or Safari 16.4');
    const bundle = await Bundle.load();
    if (bundle.header.version !== READS_VERSION) throw new Error('the page was put together wrongly');
    place.replaceChildren();
    window.app = new App(bundle);
  } catch (error) {
    place.replaceChildren(el('p', {class: 'warning'}, 'The page cannot be shown: ' + error.message));
    throw error;
  }
}

main();

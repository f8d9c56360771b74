// @ts-check
// The program of the GraphiQL page. It is a file of its own, because the content security policy of the page forbids inline
// scripts. `graphiql.ts` calls `start` at its end.

/**
 * @typedef {{ query: string, variables?: string | null }} Tab
 * @typedef {object} Config
 * @property {string} endpoint
 * @property {string} names
 * @property {string} named
 * @property {string} unnamed
 * @property {string} css
 * @property {string} js
 * @property {Record<string, string>} workers
 */

const key = 'graphql-access-token';
const byId = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));
const field = /** @type {HTMLInputElement} */ (byId('token'));
const explain = byId('explain');
const token = sessionStorage.getItem(key);
let isInSession = false;

/** @param {string} text @param {'good' | 'bad' | ''} mood */
function say(text, mood = '') {
  byId('status').textContent = text;
  byId('status').className = mood;
}

/** @param {string} next */
function store(next) {
  sessionStorage.setItem(key, next);
  location.reload();
}

/** The token in the fragment, which browsers do not send. It is removed from the address, so that it is not in the history. */
function takeFragment() {
  const linked = new URLSearchParams(location.hash.slice(1)).get('token')?.trim();
  if (linked) history.replaceState(null, '', location.pathname + location.search);
  return linked;
}

/**
 * The token of a link replaces another one only if the person agrees: whoever made the link could see what is entered under
 * their token.
 *
 * @param {string | undefined} linked
 */
function use(linked) {
  const current = sessionStorage.getItem(key);
  if (!linked || current === linked) return;
  if (current === null && !isInSession) return store(linked);
  const dialog = /** @type {HTMLDialogElement} */ (byId('offer'));
  dialog.onclose = () => dialog.returnValue === 'switch' && store(linked);
  dialog.returnValue = '';
  dialog.showModal();
}

/**
 * Adds the token around fetch rather than as a default header of the editor: there it would be shown in clear text, stored with
 * the tabs and missing from the introspection query. A header that is typed there still wins.
 *
 * @param {URL} endpoint
 */
function authorize(endpoint) {
  const { fetch } = window;
  window.fetch = async (resource, init) => {
    const request = new Request(resource, init);
    const url = new URL(request.url);
    if (url.origin !== endpoint.origin || url.pathname !== endpoint.pathname) return fetch(request);
    if (explain.getAttribute('aria-pressed') === 'true') request.headers.set('trellis-explain', '1');
    if (request.headers.has('authorization')) return fetch(request);
    // Browsers add the cookie of a session by themselves.
    if (token) request.headers.set('authorization', `Bearer ${token}`);
    const response = await fetch(request);
    const refused = token
      ? 'The token is unknown, expired or revoked.'
      : 'Your session has ended. Reload the page to sign in again.';
    if (response.status === 401) say(refused, 'bad');
    else say(token ? 'Token accepted' : 'Signed in', 'good');
    return response;
  };
}

/**
 * The tab that was open last. The editor finds the tab to open by its text, and adds an empty tab at each visit without one.
 *
 * @returns {Tab | undefined}
 */
function lastTab() {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '');
    return tabs[activeTabIndex];
  } catch {
    return undefined;
  }
}

/**
 * The text of the first tab, with the names of a component of this installation and of what it belongs to.
 *
 * @param {Config} config
 */
async function firstText({ endpoint, names, named, unnamed }) {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
  try {
    const response = await fetch(endpoint, { ...init, body: JSON.stringify({ query: names }) });
    const { data } = await response.json();
    for (const team of data.teams.nodes) {
      for (const application of team.applications.nodes) {
        for (const component of application.components.nodes) {
          const port = component.ports.nodes[0]?.number;
          if (port === undefined) continue;
          /** @type {Record<string, unknown>} */
          const values = {
            team: team.name,
            appId: application.uid,
            component: component.name,
            componentId: component.uid,
            port,
          };
          return named.replaceAll(/<(\w+)>/g, (_, name) => JSON.stringify(values[name]));
        }
      }
    }
  } catch {
    // A token that is not accepted is reported by `fetch` of the page.
  }
  return unnamed;
}

/** @param {HTMLLinkElement | HTMLScriptElement} element */
function load(element) {
  document.head.append(element);
  return new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = reject;
  });
}

/** @param {Config} config */
async function open(config) {
  const { endpoint, css, js, workers } = config;
  authorize(new URL(endpoint, location.href));
  // The typed query is not written into the address, as the editor would do by itself: arguments may hold secrets, and
  // addresses end up in logs.
  const parameters = new URLSearchParams(location.search);
  const query = parameters.get('query');
  const linked = query ? { query, variables: parameters.get('variables') } : undefined;
  if (location.search) history.replaceState(null, '', location.pathname);
  const last = lastTab();
  /** @type {Tab | Promise<Tab>} */
  const first = last ?? firstText(config).then((query) => ({ query }));
  const page = /** @type {any} */ (globalThis);
  page.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (/** @type {unknown} */ _, /** @type {string} */ label) => workers[label],
  };
  try {
    await Promise.all([
      load(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: css })),
      load(Object.assign(document.createElement('script'), { src: js })),
    ]);
  } catch {
    return say('The editor could not be loaded. Reload the page to try again.', 'bad');
  }
  const example = await first;
  const start = linked ?? example;
  page.YogaGraphiQL.renderYogaGraphiQL(byId('root'), {
    endpoint,
    query: start.query,
    variables: start.variables ?? '',
    defaultQuery: config.names,
    defaultTabs: linked ? [linked, example] : [example],
    // Headers may hold other tokens: they are never stored, and the switch for it is not offered.
    shouldPersistHeaders: false,
    showPersistHeadersSettings: false,
    // On a small screen the answer needs the room; the tabs of variables and headers open them.
    defaultEditorToolsVisibility: matchMedia('(min-width: 701px)').matches,
    onEditQuery() {},
    title: '',
    logo: '',
  });
}

/** @param {string | undefined} linked @param {Config} config */
async function openInSession(linked, config) {
  const { isSignedIn, provider } = await fetch('/auth/session')
    .then((response) => response.json())
    .catch(() => ({}));
  isInSession = isSignedIn === true;
  if (isInSession) {
    say('Signed in', 'good');
    open(config);
  }
  use(linked);
  if (isInSession || linked) return;
  say('Enter a token to run queries.');
  if (provider) {
    byId('sign-in-link').textContent = `Sign in with ${provider.name}`;
    byId('sign-in-link').hidden = false;
  }
  byId('welcome').hidden = false;
  field.focus();
}

/** @param {Config} config */
export function start(config) {
  const linked = takeFragment();
  addEventListener('hashchange', () => use(takeFragment()));
  byId('sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    const entered = field.value.trim().replace(/^bearer\s+/i, '');
    if (/^[\x21-\x7e]+$/.test(entered)) store(entered);
    else
      say("That isn't a valid token. Tokens contain only letters, digits and signs, without spaces.", 'bad');
  });
  byId('forget').addEventListener('click', () => {
    sessionStorage.removeItem(key);
    location.reload();
  });
  explain.addEventListener('click', () => {
    explain.setAttribute('aria-pressed', String(explain.getAttribute('aria-pressed') !== 'true'));
  });
  if (!token) return openInSession(linked, config);
  say('Checking the token…');
  field.placeholder = '••••••••';
  byId('forget').hidden = false;
  open(config);
  use(linked);
}

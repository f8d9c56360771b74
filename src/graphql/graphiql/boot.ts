interface BootConfig {
  endpoint: string;
  defaultQuery: string;
  tabs: { query: string; variables?: string }[];
  css: string;
  js: string;
  workers: Record<'editorWorkerService' | 'json' | 'graphql', string>;
}

/** The script of the page. Not inline, so that the content security policy can forbid inline scripts. */
export function bootScript(config: BootConfig): string {
  return `(${BOOT})(${JSON.stringify(config)});\n`;
}

const BOOT = String.raw`function (config) {
  'use strict';
  const KEY = 'graphql-access-token';
  const byId = (id) => document.getElementById(id);
  const endpoint = new URL(config.endpoint, location.href);

  // URL fragments are not sent to servers. The token is removed from the address, so that it is not in the history. It
  // replaces another one only if the person agrees: whoever made the link could see what is entered under their token.
  let isInSession = false;
  function takeFragment() {
    const given = new URLSearchParams(location.hash.slice(1)).get('token')?.trim();
    if (given) history.replaceState(null, '', location.pathname + location.search);
    return given;
  }
  function use(given) {
    const current = sessionStorage.getItem(KEY);
    if (current === null && !isInSession) {
      sessionStorage.setItem(KEY, given);
      location.reload();
    } else if (current !== given) offer(given);
  }
  function offer(given) {
    const dialog = byId('offer');
    dialog.onclose = () => {
      if (dialog.returnValue !== 'switch') return;
      sessionStorage.setItem(KEY, given);
      location.reload();
    };
    dialog.returnValue = '';
    dialog.showModal();
  }
  const linkedToken = takeFragment();
  addEventListener('hashchange', () => {
    const given = takeFragment();
    if (given) use(given);
  });

  const token = sessionStorage.getItem(KEY);

  function say(text, mood) {
    byId('status').textContent = text;
    byId('status').className = mood ?? '';
  }

  byId('sign-in').addEventListener('submit', (event) => {
    event.preventDefault();
    const entered = byId('token').value.trim().replace(/^bearer\s+/i, '');
    if (!/^[\x21-\x7e]+$/.test(entered)) return say('A token is one word of plain letters, digits and signs.', 'bad');
    sessionStorage.setItem(KEY, entered);
    location.reload();
  });
  byId('forget').addEventListener('click', () => {
    sessionStorage.removeItem(KEY);
    location.reload();
  });

  const explain = byId('explain');
  explain.addEventListener('click', () => {
    explain.setAttribute('aria-pressed', String(explain.getAttribute('aria-pressed') !== 'true'));
  });

  if (token) {
    say('Checking the token…');
    byId('token').placeholder = '••••••••';
    byId('forget').hidden = false;
    open();
    if (linkedToken) use(linkedToken);
  } else {
    fetch('/auth/session')
      .then((response) => response.json())
      .catch(() => ({}))
      .then(({ isSignedIn, provider }) => {
        isInSession = isSignedIn === true;
        if (isInSession) {
          say('Signed in', 'good');
          open();
        }
        if (linkedToken) use(linkedToken);
        if (isInSession || linkedToken) return;
        say('Enter a token to run queries.');
        if (provider) {
          const link = byId('sign-in-link');
          link.textContent = 'Sign in with ' + provider.name;
          link.hidden = false;
        }
        byId('welcome').hidden = false;
        byId('token').focus();
      });
  }

  function open() {
    // Around fetch rather than as a default header of the editor: there it would be shown in clear text,
    // stored with the tabs and missing from the introspection query. A header typed there still wins.
    const fetch = window.fetch;
    window.fetch = async (resource, init) => {
      const request = new Request(resource, init);
      const url = new URL(request.url);
      const foreign = url.origin !== endpoint.origin || url.pathname !== endpoint.pathname;
      if (foreign) return fetch(request);
      if (explain.getAttribute('aria-pressed') === 'true') request.headers.set('trellis-explain', '1');
      if (request.headers.has('authorization')) return fetch(request);
      // Browsers add the cookie of a session by themselves.
      if (token) request.headers.set('authorization', 'Bearer ' + token);
      const response = await fetch(request);
      const refused = token
        ? 'The token was not accepted: it is unknown, expired or revoked.'
        : 'Your session has ended. Reload the page to sign in again.';
      if (response.status === 401) say(refused, 'bad');
      else say(token ? 'Token accepted' : 'Signed in', 'good');
      return response;
    };

    // A link may carry a query. What is typed later is not written back into the address, as the editor
    // would do by itself: arguments may hold secrets, and addresses end up in logs.
    const given = new URLSearchParams(location.search);
    const linked = given.get('query') && { query: given.get('query'), variables: given.get('variables') };
    if (location.search) history.replaceState(null, '', location.pathname);

    // The editor finds the tab to open by its text, and adds an empty tab at each visit when that text is
    // not given: so look up the tab that was open last.
    function lastTab() {
      try {
        const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState'));
        return tabs[activeTabIndex];
      } catch {
        return undefined;
      }
    }
    // The history of the editor would store the headers of each request.
    function withoutHeaders(storage) {
      return {
        get length() {
          return storage.length;
        },
        key: (index) => storage.key(index),
        clear: () => storage.clear(),
        getItem: (key) => storage.getItem(key),
        removeItem: (key) => storage.removeItem(key),
        setItem(key, value) {
          const isHistory = /^graphiql:(queries|favorites)$/.test(key);
          storage.setItem(
            key,
            isHistory ? JSON.stringify(JSON.parse(value, (name, each) => (name === 'headers' ? undefined : each))) : value,
          );
        },
      };
    }
    const examples = config.tabs.length > 0 ? config.tabs : [{ query: config.defaultQuery }];
    const start = linked || lastTab() || examples[0];

    self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_module, label) => config.workers[label] };
    const style = document.createElement('link');
    style.rel = 'stylesheet';
    style.href = config.css;
    const script = document.createElement('script');
    script.src = config.js;
    const loaded = (element) =>
      new Promise((resolve, reject) => {
        element.onload = resolve;
        element.onerror = reject;
      });
    const both = Promise.all([loaded(style), loaded(script)]);
    document.head.append(style, script);
    both.then(
      () =>
        YogaGraphiQL.renderYogaGraphiQL(byId('root'), {
          endpoint: endpoint.pathname,
          query: start.query ?? '',
          variables: start.variables ?? '',
          defaultQuery: config.defaultQuery,
          defaultTabs: linked ? [linked, ...examples] : examples,
          // Headers may hold other tokens: they are never stored, and the switch for it is not offered.
          shouldPersistHeaders: false,
          showPersistHeadersSettings: false,
          storage: withoutHeaders(localStorage),
          // On a small screen the answer needs the room; the tabs of variables and headers open them.
          defaultEditorToolsVisibility: matchMedia('(min-width: 701px)').matches,
          onEditQuery() {},
          title: '',
          logo: '',
        }),
      () => say('The editor could not be loaded. Reload the page to try again.', 'bad'),
    );
  }
}`;

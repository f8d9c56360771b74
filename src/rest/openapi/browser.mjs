// @ts-check
// The program of the page with the REST documents. It is a file of its own, because the content security policy of the page
// forbids inline scripts. `page.ts` calls `show` at its end.

/**
 * @typedef {{ name: string, url: string }} ShownDocument A document and the name by which the address of the page asks for it.
 * @typedef {(component: object, system: { React: any }) => object} Wrapper
 * @type {{ SwaggerUIBundle: (options: object) => any }}
 */
const { SwaggerUIBundle } = /** @type {any} */ (globalThis);

/** The token in the fragment, which browsers do not send. It is removed from the address, so that it is not in the history. */
function takeToken() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token) history.replaceState(null, '', location.pathname + location.search);
  return token?.trim();
}

function followColorScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  follow();
  dark.addEventListener('change', follow);
}

/**
 * A part of a document, with what its references lead to. Swagger UI reads the whole document again for each operation that is
 * opened, which takes a second. All references are within the document.
 *
 * @param {any} spec
 * @param {string[]} path
 */
function resolved(spec, path) {
  const at = (/** @type {string[]} */ names) => names.reduce((value, name) => value?.[name], spec);
  /** @type {(value: any, within: string[]) => any} */
  const copy = (value, within) => {
    if (Array.isArray(value)) return value.map((each) => copy(each, within));
    if (value === null || typeof value !== 'object' || within.includes(value.$ref)) return value;
    const { $ref, ...rest } = value;
    const copied = Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, copy(each, within)]));
    return $ref ? { ...copy(at($ref.split('/').slice(1)), [...within, $ref]), ...copied } : copied;
  };
  return copy(at(path), []);
}

/**
 * An operation that is open is rendered at each change of anything, with all its Markdown and colored examples. What shows the
 * same text stays as it is.
 *
 * @type {Wrapper}
 */
const unlessSame = (component, { React }) =>
  React.memo(component, (/** @type {any} */ before, /** @type {any} */ after) =>
    ['source', 'children', 'language', 'className'].every((name) => before[name] === after[name]),
  );

/** @param {{ fn: { getSampleSchema(schema: any, ...rest: unknown[]): unknown } }} system */
const plugin = ({ fn: { getSampleSchema } }) => ({
  fn: {
    /** @type {(spec: object, path: string[]) => Promise<object>} */
    resolveSubtree: async (spec, path) => ({ spec: resolved(spec, path), errors: [] }),
    // It would fill in optional parameters that are JSON.
    /** @type {typeof getSampleSchema} */
    getSampleSchema: (schema, ...rest) =>
      schema?.['x-optional'] ? undefined : getSampleSchema(schema, ...rest),
  },
  wrapComponents: { Markdown: unlessSame, HighlightCode: unlessSame, SyntaxHighlighter: unlessSame },
});

/** @param {ShownDocument[]} documents */
export function show(documents) {
  const token = takeToken();
  followColorScheme();
  const links = [...document.querySelectorAll('.documents a')];
  const name = new URLSearchParams(location.search).get('document');
  const { url } = /** @type {ShownDocument} */ (documents.find((each) => each.name === name) ?? documents[0]);
  const mark = (/** @type {string} */ url) => {
    for (const [index, link] of links.entries())
      link.setAttribute('aria-current', String(documents[index]?.url === url));
  };
  // The page renders all operations that it lists at each change of anything: of the many of the second document, it lists
  // those of the tags that are opened.
  const expansion = (/** @type {string} */ url) => (url === documents[0]?.url ? 'list' : 'none');
  mark(url);
  // Shown in place, so that the token is kept.
  for (const [index, { url }] of documents.entries()) {
    const link = /** @type {HTMLAnchorElement} */ (links[index]);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      history.replaceState(null, '', link.href);
      mark(url);
      ui.getConfigs().docExpansion = expansion(url);
      ui.specActions.updateUrl(url);
      ui.specActions.download(url);
    });
  }
  const ui = SwaggerUIBundle({
    url,
    plugins: [plugin],
    dom_id: '#swagger-ui',
    docExpansion: expansion(url),
    deepLinking: true,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    // Ignores a URL in the query, disables the online validator, and does not store the token.
    queryConfigEnabled: false,
    validatorUrl: 'none',
    persistAuthorization: false,
    onComplete() {
      if (token) ui.preauthorizeApiKey('bearer', token);
    },
  });
}

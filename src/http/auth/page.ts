import type { ServerResponse } from 'node:http';
import { sendText } from '../send.ts';
import { contentTypes, pageSecurity } from '../static.ts';

/** A page that says one thing. */
export interface PlainPage {
  title: string;
  text: string;
  /** Where to continue. */
  links: { href: string; text: string }[];
}

const style = `
:root { color-scheme: light dark; }
body { margin: 0; padding: 15vh 24px 0; background: light-dark(#fff, #212a3b); color: light-dark(#1f2937, #e5e7eb);
  font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; }
h1 { font-size: 20px; }
a { color: light-dark(#15803d, #4ade80); }
:focus-visible { outline: 2px solid currentColor; outline-offset: 2px; }
`;

/** Sends a page, which loads nothing. */
export function sendPage(
  res: ServerResponse,
  status: number,
  page: PlainPage,
  headers: Record<string, string> = {},
): void {
  sendText(
    res,
    status,
    {
      ...pageSecurity,
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      'Content-Type': contentTypes.html,
      'Cache-Control': 'no-store',
      ...headers,
    },
    htmlOf(page),
  );
}

function htmlOf({ title, text, links }: PlainPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(title)} – Trellis</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(text)}</p>
${links.map((link) => `<p><a href="${escaped(link.href)}">${escaped(link.text)}</a></p>`).join('\n')}
</main>
</body>
</html>
`;
}

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

import { inOneLine } from './check-failures.ts';

/** The text of the runtime before the cause, which repeats the image. */
const prefixes =
  /^(?:(?:Back-off pulling image|Failed to pull image) "[^"]*"(?:: ?|$)|ErrImagePull: |Error response from daemon: |rpc error: code = (?:Unknown|NotFound|InvalidArgument) desc = |failed to pull and unpack image "[^"]*": |failed to resolve (?:reference|image) "[^"]*": )/;

/** Why an image could not be pulled. Empty if the text only says that there is a pause before the next try. */
export function pullCause(message: string): string {
  let text = message;
  for (let rest = text.replace(prefixes, ''); rest !== text; rest = text.replace(prefixes, '')) text = rest;
  return inOneLine(text);
}

/** A status of HTTP, but not a port, a tag or a part of an address. */
const status = (codes: string) => new RegExp(`(?:^|[\\s(])(?:${codes})(?=[\\s),.:;]|$)`);
const refusals = status('401|403|404');
const passingStatus = status('429|5\\d\\d');
const passingWords =
  /connection refused|connection reset|broken pipe|(?:i\/o|handshake) timeout|timeout (?:awaiting|exceeded)|client\.timeout|timed out|deadline ?exceeded|no route to host|network is unreachable|server misbehaving|temporary failure|(?:^|\s)EOF\b|request canceled|too ?many ?requests|rate limit|QPS exceeded|service unavailable|bad gateway|code = (?:Unavailable|DeadlineExceeded)/i;

/**
 * Whether a registry that could not give an image may give it later: it did not answer, was overloaded, or had an error of its own. One that
 * says that it does not have the image, or that the caller may not pull it, will say so again.
 */
export function mayPassLater(cause: string): boolean {
  // Names of images can contain anything.
  const text = cause.replace(/"[^"]*"/g, '');
  return !refusals.test(text) && (passingStatus.test(text) || passingWords.test(text));
}

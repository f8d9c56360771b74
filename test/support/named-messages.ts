/** Texts of an answer that people read: errors and problems, the errors of jobs, the reasons of runs and previews. */
const messages = /"(?:message|detail|error|reason|problem|lastSkipMessage)":"((?:[^"\\]|\\.)*)"/g;

/** A generated alias, the id of a row, and the number of an object that has no other name. */
const identifying =
  /\bgr[0-9a-f]{6}\b|\b[0-9a-f]{32}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?:job|run|user|rule) #?\d+\b/gi;

/** Addresses have aliases in them, and what a cluster says quotes the names of its objects, and has its own ids of pods. */
const addresses = /\\"[^"\\]*\\"|\bpod=\S+|\S*\b[\w*-]+(?:\.[\w-]+)+\S*/g;

/** Answers are searched up to this length, in UTF-16 units. The longest ones are data. */
const maxSearched = 1_000_000;

/** The aliases, ids and numbers of a message, without those in addresses. */
export function identifyingIn(message: string): string[] {
  if (!message.match(identifying)) return [];
  return message.replaceAll(addresses, '').match(identifying) ?? [];
}

/** The messages of an answer that have an alias or an id which the request does not have. */
export function unnamedIn(requestOf: () => string, answer: string): string[] {
  if (answer.length > maxSearched) return [];
  const found = new Set<string>();
  let request: string | undefined;
  for (const [, message] of answer.matchAll(messages)) {
    const own = identifyingIn(message!);
    request ??= requestOf();
    if (own.some((each) => !request!.includes(each))) found.add(message!);
  }
  return [...found];
}

/** Throws if a message of an answer has an alias or an id which the request does not have. */
export function requireNames(requestOf: () => string, answer: string): void {
  const unnamed = unnamedIn(requestOf, answer);
  if (unnamed.length === 0) return;
  const request = requestOf().slice(0, 1_000);
  throw new Error(`Messages must name objects as people know them: ${unnamed.join('\n')}\n${request}`);
}

/**
 * The messages of graphql-js quote the input, which can be a secret, such as a key next to a
 * misspelt field. This module removes the values from the messages, and says what is expected as other checks do.
 *
 * @see https://github.com/graphql/graphql-js/blob/16.x.x/src/execution/values.ts
 */
export interface RedactedMessage {
  message: string;
  /** What is wrong with the value at the path. Undefined if the message is not about a value. */
  issue?: string | undefined;
  /** The path in the variable if its value is invalid, for example `input.ports[0].number`. */
  variable?: string;
}

/** What messages of graphql-js say about a value, and how other checks say it. */
const issues: [RegExp, string][] = [
  [/^Int cannot represent non 32-bit/, `Must be a whole number from ${-(2 ** 31)} to ${2 ** 31 - 1}`],
  [/^Int cannot represent/, 'Must be a whole number'],
  [/^Float cannot represent/, 'Must be a number'],
  [/^String cannot represent/, 'Must be a string'],
  [/^Boolean cannot represent/, 'Must be true or false'],
  [/^ID cannot represent/, 'Must be an ID'],
  [/^Expected non-nullable type "[^"]+" not to be null/, 'Must not be null'],
  [/^Expected value of type "([^"]+)"/, 'Must be a value of type $1'],
  [/^Expected type "[^"]+" to be an object/, 'Must be an object'],
  [/^Exactly one key must be specified/, 'Must have exactly one field'],
  [/^The value does not exist in "(\w+)" enum/, 'Must be a value of $1'],
  [/^Field "[\w.]+" of required type "[^"]+" was not provided/, 'Is required'],
  [/^(?:Field|Directive) "[^"]+" argument "\w+" of type "[^"]+" is required/, 'Is required'],
  [/^Variable "\$\w+" of required type "[^"]+" was not provided/, 'Is required'],
  [/^Variable "\$\w+" of non-null type "[^"]+" must not be null/, 'Must not be null'],
];

function issueIn(message: string): string | undefined {
  for (const [pattern, issue] of issues) {
    const match = pattern.exec(message);
    if (match) return issue.replace('$1', match[1] ?? '');
  }
  return undefined;
}

/** The reasons in messages, without values. Anchored at the end, because a quoted value can contain anything. */
const reasons = [
  /Field "\w+" of required type "[\w![\]]+" was not provided\.$/,
  /Field "\w+" is not defined by type "\w+"\.(?: Did you mean [\w",? ]+\?)?$/,
  /Expected (?:non-nullable )?type "[\w![\]]+" (?:not )?to be (?:an object|null)\.$/,
  /Expected non-nullable type "[\w![\]]+" not to be null\.$/,
  /Exactly one key must be specified for OneOf type "\w+"\.$/,
  /Field "\w+" must be non-null\.$/,
  /Must be an ISO 8601 time with a zone, such as \S+$/,
];

/** Shortens messages, because regular expressions on long input could take minutes. */
const cut = (text: string) => (text.length > 1_000 ? `${text.slice(0, 400)} … ${text.slice(-500)}` : text);

const withoutValue = (message: string) =>
  cut(message)
    .replace(/(cannot represent [a-z0-9 -]+?(?:value|integer)?): [\s\S]*$/i, '$1.')
    .replace(
      /Value "[\s\S]*" does not exist in "(\w+)" enum\.[\s\S]*$/,
      'The value does not exist in "$1" enum.',
    )
    .replace(/(Expected value of type "[\w![\]]+"), found [\s\S]*$/, '$1.');

/** A message of graphql-js without the values that it quotes. */
export function redactMessage(message: string): RedactedMessage {
  const variable = /^Variable "\$(\w+)" got invalid value /.exec(message);
  if (!variable) {
    const said = withoutValue(message);
    return { message: said, issue: issueIn(said) };
  }
  const rest = message.slice(variable[0].length);
  // The path follows the value, and the reason follows the path; the reason can quote the value again.
  const places = [...rest.matchAll(/ at "(\w+(?:\.\w+|\[\d+\])*)"; /g)].filter(
    ([, path]) => /^\w+/.exec(path!)![0] === variable[1],
  );
  const path = places.at(-1)?.[1] ?? variable[1]!;
  const said = cut(rest.slice(places.at(-1)?.index ?? 0));
  const reason = reasons.map((each) => each.exec(said)?.[0]).find((each) => each !== undefined);
  const last = said.slice(said.lastIndexOf('; ') + 2);
  const scalar = /(?:^|; )(\w+ cannot represent [a-z0-9 -]+?): /i.exec(said)?.[1];
  const unknown = /does not exist in "(\w+)" enum\./.exec(last)?.[1];
  const why =
    reason ??
    (unknown
      ? `The value does not exist in "${unknown}" enum.`
      : scalar
        ? `${scalar}.`
        : 'It does not match the type.');
  return { message: why, issue: issueIn(why) ?? why.replace(/\.$/, ''), variable: path };
}

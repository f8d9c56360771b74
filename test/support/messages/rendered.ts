import { everyTemplate, type Template } from '../message-templates.ts';
import { elsewhere } from './elsewhere.ts';

/** Descriptions, labels, and sentences about what has happened. */
const isNoMessage = (file: string) =>
  !file.startsWith('domain/') || /(graphql|rest)\.ts$|^domain\/event\/(sentence|seals|export)\//.test(file);

const nouns =
  'components?|applications?|teams?|regions?|volumes?|snapshots?|certificates?|schedules?|previews?|templates?|roles?|ports?|releases?|variables?|service accounts?|service names?|domains?|credential for';
const nounBefore = new RegExp(`\\b(?:${nouns})(?: named| by)? \\$\\{`, 'i');

/** Whether a message has the name of an object in it. */
const namesObject = ({ text }: Template): boolean =>
  /\$\{[^}]*\.(?:name|email|host)\b/.test(text) || nounBefore.test(text);

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What a template is rendered to. */
const patternOf = ({ parts }: Template) => new RegExp(parts.map(escaped).join('[\\s\\S]*?'));

/**
 * The templates of messages which name an object and have not been rendered, except for those that are listed, and what is listed
 * without need.
 */
export function unrendered(messages: readonly string[]): { missing: string[]; needless: string[] } {
  const listed = new Set(Object.keys(elsewhere));
  const all = everyTemplate()
    .flatMap(({ templates }) => templates)
    .filter((template) => !isNoMessage(template.file) && namesObject(template));
  const waiting = all.filter((template) => {
    const pattern = patternOf(template);
    return !messages.some((message) => pattern.test(message));
  });
  const texts = new Set(waiting.map(({ text }) => text));
  return {
    missing: waiting
      .filter(({ text }) => !listed.has(text))
      .map(({ file, line, text }) => `${file}:${line} ${text}`),
    needless: [...listed].filter((text) => !texts.has(text)),
  };
}

/** A file of an application that is imported. */
export interface ImportFile {
  /** Its path in the folder that was dropped. */
  name: string;
  /** Null if it is no text, or too large to be taken over. */
  text: string | null;
  /** Whether it describes the application. Others are beside it, for what describes it to name them. */
  isSource: boolean;
}
type Read = Omit<ImportFile, 'isSource'>;
export type Source = ImportFile & { text: string };

/** The file that has what is pasted. */
export const pastedName = 'pasted.yaml';

const composeName = /^(?:docker-)?compose(\.override)?\.ya?ml$/;
const has = (key: string) => new RegExp(`(?:^|[{,])\\s*"?${key}"?\\s*:`, 'm');
const [hasVersion, hasKind, hasServices] = [has('apiVersion'), has('kind'), has('services')];

const isYaml = ({ name, text }: Read) => text !== null && /\.(ya?ml|json)$/i.test(name);
const isObject = (file: Read) => isYaml(file) && hasVersion.test(file.text!) && hasKind.test(file.text!);
const isCompose = (file: Read) => isYaml(file) && hasServices.test(file.text!) && !isObject(file);

export const sourcesOf = (files: readonly ImportFile[]) =>
  files.filter((file): file is Source => file.isSource && file.text !== null);

/** What the sources describe an application for. */
export function formatOf(files: readonly ImportFile[]): 'COMPOSE' | 'KUBERNETES' {
  const sources = sourcesOf(files);
  return sources.some(isObject) && !sources.some(isCompose) ? 'KUBERNETES' : 'COMPOSE';
}

/** The files that describe an application, in the order in which they are merged. */
function describing(files: readonly Read[]): readonly Read[] {
  const named = files.filter(({ name }) => composeName.test(name));
  const isOverride = ({ name }: Read) => composeName.exec(name)?.[1] !== undefined;
  const base = named.find((file) => !isOverride(file));
  if (base) return [base, ...named.filter(isOverride).slice(0, 1)];
  const compose = files.find(isCompose);
  if (compose) return [compose];
  const objects = files.filter(isObject);
  return objects.length > 0 ? objects : files.slice(0, 1);
}

/** Chooses the files that describe the application, as Compose does in a folder. For Kubernetes, all with objects do. */
export function withSources(files: readonly Read[]): ImportFile[] {
  const sources = describing(files);
  const others = files.filter((file) => !sources.includes(file));
  return [
    ...sources.map(({ name, text }) => ({ name, text, isSource: true })),
    ...others.map(({ name, text }) => ({ name, text, isSource: false })),
  ];
}

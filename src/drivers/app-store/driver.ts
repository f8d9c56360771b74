import { boundedString, line, text } from '../../kernel/validate.ts';
import type { AppTemplate, OmittedKey } from './template.ts';
import type { TemplateCredential } from './template-credentials.ts';

/** The most versions of a template. So many are sorted in a few milliseconds. */
export const maxVersions = 2_000;

/** The URL of an app store, its domain and the access key. */
export interface StoreAddress {
  url: string;
  domain: string;
  /** A secret, which must not be in logs or errors. */
  accessKey: string;
}

export interface StoreVersion {
  version: string;
  alias: string;
  description: string;
  /** An ISO 8601 time. Null if the store sends none. */
  createdAt: string | null;
  updatedAt: string | null;
  updateVersion: number;
  isEnabled: boolean;
}

interface StoreApp {
  id: string;
  name: string;
  description: string;
  logo: string;
  versions: StoreVersion[];
}

export interface StoreTemplate {
  id: string;
  name: string;
  version: string;
  versionAlias: string;
  description: string;
  templateType: string;
  updatedAt: string | null;
  /** The length of the template as JSON. */
  characters: number;
  template: AppTemplate;
  /** The keys of the template that are not used. */
  omitted: OmittedKey[];
  credentials: TemplateCredential[];
}

/**
 * An app store. Calls fail with STORE_REFUSED, STORE_UNAVAILABLE, INVALID_INPUT (an
 * invalid URL, key, id or version), or with the signal's reason once it is aborted.
 */
export interface AppStore {
  app(store: StoreAddress, appId: string, signal?: AbortSignal): Promise<StoreApp>;
  versions(store: StoreAddress, appId: string, signal?: AbortSignal): Promise<StoreVersion[]>;
  template(store: StoreAddress, appId: string, version: string, signal?: AbortSignal): Promise<StoreTemplate>;
}

const isStoreUrl = (value: string) => {
  // `URL` accepts `http:/x` and `http:x`, so the text is checked as well.
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
};

/** The URL of a store. Private addresses are rejected when connecting. */
export const storeUrl = () =>
  line(2048).refine(isStoreUrl, 'Must be an http or https URL without credentials, query and fragment');

/** The access key of a store, which must be a valid header value. */
export const storeAccessKey = () =>
  boundedString(4096)
    .min(1)
    .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'Must be printable ASCII');

/** The domain of a store. Can be empty. */
export const storeDomain = () => text(255);

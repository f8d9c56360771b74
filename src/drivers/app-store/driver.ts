import { z } from 'zod';
import { line, text } from '../../kernel/validate.ts';
import type { AppTemplate } from './template.ts';

/** Where an app store is, which of its domains is meant, and who asks. */
export interface StoreAddress {
  url: string;
  domain: string;
  /** A secret: it stands in no log and no error. */
  accessKey: string;
}

export interface StoreVersion {
  version: string;
  alias: string;
  description: string;
  /** ISO 8601; null when the store does not tell. */
  createdAt: string | null;
  updatedAt: string | null;
  updateVersion: number;
  isEnabled: boolean;
}

export interface StoreApp {
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
  template: AppTemplate;
}

/**
 * A store of application templates. Each call fails with STORE_REFUSED, STORE_UNAVAILABLE, INVALID_INPUT (an
 * address, key, id or version that can be no such thing), or with the signal's reason once it is aborted.
 */
export interface AppStore {
  app(store: StoreAddress, appId: string, signal?: AbortSignal): Promise<StoreApp>;
  versions(store: StoreAddress, appId: string, signal?: AbortSignal): Promise<StoreVersion[]>;
  template(store: StoreAddress, appId: string, version: string, signal?: AbortSignal): Promise<StoreTemplate>;
}

const isStoreUrl = (value: string) => {
  // What is no URL, `http:/x` and `http:x` are told apart by the text; the rest by what a URL makes of it.
  if (!/^https?:\/\/[^\s\\?#]+$/i.test(value) || !URL.canParse(value)) return false;
  const { username, password } = new URL(value);
  return username === '' && password === '';
};

/** The address of a store. That it leads to no private network is seen when it is connected to. */
export const storeUrl = () =>
  line(2048).refine(isStoreUrl, 'Must be an http or https URL without credentials, query and fragment');

/** The access key of a store: what can stand in a header. */
export const storeAccessKey = () =>
  z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, 'Must be printable ASCII');

/** The domain of a store; it may be empty. */
export const storeDomain = () => text(255);

import { z } from 'zod';
import { type Issue, StoreUnavailableError } from '../../kernel/errors.ts';
import { inSlices, nextTurn } from '../../kernel/event-loop.ts';
import { timeOf } from '../../kernel/time.ts';
import { displayText, line, parse, prose, text } from '../../kernel/validate.ts';
import { expectForm, expectJson, noTemplate, orElse, readItems, type Unique } from './answer.ts';
import {
  type AppStore,
  maxVersions,
  type StoreAddress,
  type StoreVersion,
  storeAccessKey,
  storeDomain,
  storeUrl,
} from './driver.ts';
import { parseTemplate, storeId, storeVersionName } from './template.ts';
import { createStoreTransport, type StoreLimits } from './transport.ts';

/** An invalid time is parsed as null, so that the template can still be used. */
const time = z.unknown().transform((value) => timeOf(value)?.toISOString() ?? null);

const storeVersion = z
  .object({
    appVersion: storeVersionName(),
    appVersionAlias: orElse(displayText(255), ''),
    desc: orElse(prose(65_536), ''),
    createTime: time.optional(),
    updateTime: time.optional(),
    updateVersion: orElse(z.int().min(0), 1),
    enable: orElse(z.boolean(), true),
  })
  .transform((each) => ({
    version: each.appVersion,
    alias: each.appVersionAlias,
    description: each.desc,
    createdAt: each.createTime ?? null,
    updatedAt: each.updateTime ?? null,
    updateVersion: each.updateVersion,
    isEnabled: each.enable,
  }));

/** Versions are parsed separately, in slices. */
const versions = z
  .array(z.unknown())
  .max(maxVersions)
  .nullish()
  .transform((values) => values ?? []);

const uniqueVersions: Unique<StoreVersion>[] = [{ field: 'appVersion', of: ({ version }) => version }];

async function expectVersions(values: unknown[], signal?: AbortSignal): Promise<StoreVersion[]> {
  const issues: Issue[] = [];
  const list = {
    count: () => issues.length,
    add: (path: (string | number)[], message: string) =>
      void issues.push({ path: ['versions', ...path], message }),
  };
  const versions = await inSlices(readItems(storeVersion, values, uniqueVersions, list), signal);
  if (!versions || issues.length > 0) throw noTemplate(issues);
  return versions;
}

const appAnswer = z.object({
  appKeyID: line(255),
  name: orElse(displayText(255), ''),
  desc: orElse(prose(65_536), ''),
  // Can be a data URL with an image.
  logo: orElse(text(1_048_576), ''),
  versions,
});

const versionsAnswer = z.object({ versions });

const templateAnswer = z.object({
  appKeyID: line(255),
  appName: orElse(displayText(255), ''),
  version: line(255),
  versionAlias: orElse(displayText(255), ''),
  description: orElse(prose(65_536), ''),
  templateType: orElse(text(64), ''),
  updateTime: time.optional(),
  template: z.string(),
});

/** The identifying fields of a response, with their requested values. */
function expectAsked(asked: Record<string, [sent: string, wanted: string]>): void {
  const wrong = Object.entries(asked)
    .filter(([, [sent, wanted]]) => sent !== wanted)
    .map(([place]) => `${place}: Must match the request`);
  if (wrong.length > 0) {
    throw new StoreUnavailableError(`The app store sent an invalid response: ${wrong.join('; ')}`);
  }
}

/**
 * The store protocol over HTTP. `allowPrivate` allows connections to addresses outside the public
 * internet. Tests shorten the limits.
 */
export function createHttpAppStore(options: {
  allowPrivate: boolean;
  limits?: Partial<StoreLimits>;
  /** Further headers of each call, for tracing. */
  headers?: (() => Record<string, string>) | undefined;
}): AppStore & { close(): Promise<void> } {
  const transport = createStoreTransport(options);

  const ask = async (
    store: StoreAddress,
    steps: string[],
    query: Record<string, string>,
    signal?: AbortSignal,
  ) => {
    const base = new URL(parse(storeUrl(), store.url, ['url']));
    const accessKey = parse(storeAccessKey(), store.accessKey, ['accessKey']);
    const parameters = new URLSearchParams({
      marketDomain: parse(storeDomain(), store.domain, ['domain']),
      ...query,
    });
    const path = `${base.pathname.replace(/\/+$/, '')}/app-server/openapi/${steps.map(encodeURIComponent).join('/')}`;
    base.pathname = path;
    base.search = parameters.toString();
    const headers = { ...options.headers?.(), Authorization: accessKey };
    const answer = await transport.get(base, headers, signal);
    // An answer can be large, and was received in this turn.
    await nextTurn();
    return expectJson(answer, 'answer');
  };
  const idOf = (id: string) => parse(storeId(), id, ['appId']);

  return {
    app: async (store, appId, signal) => {
      const answer = expectForm(appAnswer, await ask(store, ['apps', idOf(appId)], {}, signal));
      expectAsked({ appKeyID: [answer.appKeyID, appId] });
      return {
        id: answer.appKeyID,
        name: answer.name,
        description: answer.desc,
        logo: answer.logo,
        versions: await expectVersions(answer.versions, signal),
      };
    },

    versions: async (store, appId, signal) => {
      const answer = await ask(store, ['apps', idOf(appId), 'versions'], {}, signal);
      return expectVersions(expectForm(versionsAnswer, answer).versions, signal);
    },

    template: async (store, appId, version, signal) => {
      const steps = ['apps', idOf(appId), 'versions', parse(storeId(), version, ['version'])];
      const query = { forInstall: 'True', getTemplate: 'True' };
      const answer = expectForm(templateAnswer, await ask(store, steps, query, signal));
      expectAsked({ appKeyID: [answer.appKeyID, appId], version: [answer.version, version] });
      const { template, omitted, credentials } = await parseTemplate(answer.template, signal);
      expectAsked({
        'template.group_key': [template.groupKey, appId],
        'template.group_version': [template.groupVersion, version],
      });
      return {
        id: answer.appKeyID,
        name: answer.appName || template.groupName,
        version: answer.version,
        versionAlias: answer.versionAlias,
        description: answer.description,
        templateType: answer.templateType,
        updatedAt: answer.updateTime ?? null,
        characters: answer.template.length,
        template,
        omitted,
        credentials,
      };
    },

    close: () => transport.close(),
  };
}

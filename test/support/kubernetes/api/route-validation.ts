import { type Cause, invalidValue, notSupported, required } from './status.ts';
import { badName, subdomain, text } from './workload-validation.ts';

/** What of a path both kinds of routes refuse. */
const wrongParts = (path: string) => [
  ...['//', '/./', '/../', '%2f', '%2F']
    .filter((part) => path.includes(part))
    .map((part) => `contain '${part}'`),
  ...['/..', '/.'].filter((part) => path.endsWith(part)).map((part) => `end with '${part}'`),
];
const pathCharacters = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|[%][0-9a-fA-F]{2})+$/;

export function ingressCauses(spec: any = {}): Cause[] {
  const causes: Cause[] = [];
  if (!spec.rules?.length && !spec.defaultBackend) {
    causes.push(invalidValue('spec', '""', 'either `defaultBackend` or `rules` must be specified'));
  }
  const types = ['Exact', 'ImplementationSpecific', 'Prefix'];
  for (const [index, rule] of (spec.rules ?? []).entries()) {
    const at = `spec.rules[${index}]`;
    const host = rule.host?.replace(/^\*\./, '');
    if (host !== undefined && (/^[\d.]+$/.test(host) || !subdomain.test(host))) {
      causes.push(
        invalidValue(
          `${at}.host`,
          text(rule.host),
          /^[\d.]+$/.test(host) ? 'must be a DNS name, not an IP address' : badName,
        ),
      );
    }
    for (const [number, path] of (rule.http?.paths ?? []).entries()) {
      const of = `${at}.http.paths[${number}]`;
      if (!path.pathType) causes.push(required(`${of}.pathType`, 'pathType must be specified'));
      else if (!types.includes(path.pathType))
        causes.push(notSupported(`${of}.pathType`, path.pathType, types));
      else if (path.pathType !== 'ImplementationSpecific' && !path.path?.startsWith('/')) {
        causes.push(invalidValue(`${of}.path`, text(path.path ?? ''), 'must be an absolute path'));
      } else if (path.pathType !== 'ImplementationSpecific') {
        for (const part of wrongParts(path.path)) {
          causes.push(invalidValue(`${of}.path`, text(path.path), `must not ${part}`));
        }
      }
      const { name, number: port } = path.backend?.service?.port ?? {};
      if (name && port)
        causes.push(invalidValue(`${of}.backend`, '""', 'cannot set both port name & port number'));
    }
  }
  return causes;
}

const absolutePaths = ['Exact', 'PathPrefix'];

/** The rules in CEL that objects of ours can break. */
export function routeCauses(spec: any): Cause[] {
  const causes: Cause[] = [];
  const object = (field: string, why: string) => causes.push(invalidValue(field, '"object"', why));
  for (const [index, rule] of (spec.rules ?? []).entries()) {
    const at = `spec.rules[${index}]`;
    for (const [number, { path }] of (rule.matches ?? []).entries()) {
      const of = `${at}.matches[${number}].path`;
      if (path && !['Exact', 'PathPrefix', 'RegularExpression'].includes(path.type)) {
        object(of, "type must be one of ['Exact', 'PathPrefix', 'RegularExpression']");
      } else if (path && absolutePaths.includes(path.type) && !path.value?.startsWith('/')) {
        object(
          of,
          `value must be an absolute path and start with '/' when type one of ['Exact', 'PathPrefix']`,
        );
      } else if (path && absolutePaths.includes(path.type)) {
        for (const part of wrongParts(path.value)) {
          object(of, `must not ${part} when type one of ['Exact', 'PathPrefix']`);
        }
        if (!pathCharacters.test(path.value)) {
          const valid = String(pathCharacters).slice(1, -1);
          object(
            of,
            `must only contain valid characters (matching ${valid}) for types ['Exact', 'PathPrefix']`,
          );
        }
      }
    }
    for (const [number, ref] of (rule.backendRefs ?? []).entries()) {
      if (ref.kind === 'Service' && ref.port === undefined) {
        object(`${at}.backendRefs[${number}]`, 'Must have port for Service reference');
      }
    }
    const filters = rule.filters ?? [];
    for (const [number, { type, ...of }] of filters.entries()) {
      const name =
        type === 'URLRewrite'
          ? 'urlRewrite'
          : (type ?? '').replace(/^./, (first: string) => first.toLowerCase());
      if (!of[name])
        object(`${at}.filters[${number}]`, `filter.${name} must be specified for ${type} filter.type`);
    }
    const rewrites = filters.filter(({ type }: any) => type === 'URLRewrite');
    if (rewrites.length > 1)
      causes.push(invalidValue(`${at}.filters`, '"array"', 'URLRewrite filter cannot be repeated'));
    const isPrefix = (of: any) => of.urlRewrite?.path?.type === 'ReplacePrefixMatch';
    if (
      filters.some(isPrefix) &&
      (rule.matches?.length !== 1 || rule.matches[0].path?.type !== 'PathPrefix')
    ) {
      object(
        at,
        'When using URLRewrite filter with path.replacePrefixMatch, exactly one PathPrefix match must be specified',
      );
    }
    const ms = (duration?: string) =>
      duration
        ? Number.parseInt(duration, 10) * (/ms$/.test(duration) ? 1 : /m$/.test(duration) ? 60_000 : 1000)
        : 0;
    const { request, backendRequest } = rule.timeouts ?? {};
    if (ms(request) && ms(backendRequest) > ms(request)) {
      object(`${at}.timeouts`, 'backendRequest timeout cannot be longer than request timeout');
    }
  }
  return causes;
}

export function gatewayCauses(spec: any): Cause[] {
  const causes: Cause[] = [];
  const keys = (spec.listeners ?? []).map(
    ({ port, protocol, hostname = '' }: any) => `${port} ${protocol} ${hostname}`,
  );
  if (new Set(keys).size < keys.length) {
    causes.push(
      invalidValue(
        'spec.listeners',
        '"array"',
        'Combination of port, protocol and hostname must be unique for each listener',
      ),
    );
  }
  if ((spec.listeners ?? []).some(({ protocol, hostname }: any) => protocol === 'TCP' && hostname)) {
    causes.push(
      invalidValue(
        'spec.listeners',
        '"array"',
        "hostname must not be specified for protocols ['TCP', 'UDP']",
      ),
    );
  }
  return causes;
}

import type { DesiredComponent, DesiredHttpRule } from '../../desired.ts';
import { backendName, nameOf, shortHash, slug } from '../../object-names.ts';
import { type KubernetesObject, labelsOf } from '../objects/objects.ts';
import { certificateRequest, isIssued } from './certificates.ts';
import { rulesBy, tlsSecret } from './http.ts';
import { type LimitingSettings, notApplied } from './limitations.ts';

const secretName = (component: DesiredComponent, certificate: string) =>
  nameOf(component, `tls-${shortHash(certificate)}`);

/** The certificates of the rules, each once. */
function tlsSecretsOf(component: DesiredComponent): KubernetesObject[] {
  const used = component.httpRules.flatMap(({ certificate }) => certificate ?? []);
  const byName = new Map(used.map((certificate) => [certificate.name, certificate]));
  return [...byName.values()].map((certificate) =>
    tlsSecret({ name: secretName(component, certificate.name), labels: labelsOf(component) }, certificate),
  );
}

/** The name of the certificate that the cluster provides for a domain of a component, and of its Secret. */
export const issuedName = (component: Pick<DesiredComponent, 'clusterName'>, domain: string) =>
  nameOf(component, `issued-${slug(domain, 40)}`);

/** The requests for certificates of domains without one of their own. */
const requestsOf = (component: DesiredComponent, settings: LimitingSettings): KubernetesObject[] =>
  rulesBy(component.httpRules, ({ domain }) => domain).flatMap((rules) => {
    const [{ domain }] = rules;
    const isOwn = rules.some(({ certificate }) => certificate);
    if (isOwn || !rules.some((rule) => isIssued(rule, settings))) return [];
    const metadata = { name: issuedName(component, domain), labels: labelsOf(component) };
    return [certificateRequest(metadata, domain, settings.certificateIssuer!)];
  });

/** The Secret with the certificate of a domain; undefined if it has none. */
function secretOf(
  component: DesiredComponent,
  rules: readonly DesiredHttpRule[],
  settings: LimitingSettings,
): string | undefined {
  const certificate = rules.find(({ certificate }) => certificate)?.certificate;
  if (certificate) return secretName(component, certificate.name);
  const issued = rules.find((rule) => isIssued(rule, settings));
  return issued && issuedName(component, issued.domain);
}

/** An Ingress for each domain, which matches host and path alone, after what its certificate comes from. */
export const ingressesOf = (
  component: DesiredComponent,
  settings: LimitingSettings & { ingressClass: string | null },
): KubernetesObject[] => [
  ...tlsSecretsOf(component),
  ...requestsOf(component, settings),
  ...rulesBy(component.httpRules, ({ domain }) => domain).map((rules) => {
    const [{ domain }] = rules;
    const secret = secretOf(component, rules, settings);
    return {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        name: nameOf(component, slug(domain, 40)),
        labels: labelsOf(component),
        ...notApplied(rules, settings),
      },
      spec: {
        ...(settings.ingressClass && { ingressClassName: settings.ingressClass }),
        ...(secret && { tls: [{ hosts: [domain], secretName: secret }] }),
        rules: [
          {
            host: domain,
            http: {
              paths: rules.map(({ path, portNumber }) => ({
                path,
                pathType: 'Prefix',
                backend: { service: { name: backendName(component), port: { number: portNumber } } },
              })),
            },
          },
        ],
      },
    };
  }),
];

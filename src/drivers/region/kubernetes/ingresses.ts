import type { DesiredComponent } from '../desired.ts';
import { type KubernetesObject, labelsOf, nameOf, shortHash, slug } from './objects.ts';
import { backendName, rulesBy, tlsSecret } from './routes.ts';
import { notApplied } from './rule-limitations.ts';

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

/** An Ingress for each domain, which matches host and path alone, after the Secrets of the certificates. */
export const ingressesOf = (component: DesiredComponent, ingressClass: string | null): KubernetesObject[] => [
  ...tlsSecretsOf(component),
  ...rulesBy(component.httpRules, ({ domain }) => domain).map((rules) => {
    const [{ domain }] = rules;
    const secured = rules.find(({ certificate }) => certificate)?.certificate;
    return {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        name: nameOf(component, slug(domain, 40)),
        labels: labelsOf(component),
        ...notApplied(rules, false),
      },
      spec: {
        ...(ingressClass && { ingressClassName: ingressClass }),
        ...(secured && { tls: [{ hosts: [domain], secretName: secretName(component, secured.name) }] }),
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

import { jobPodPattern, podPattern } from '../../object-names.ts';

/** A string of the query languages of metrics servers and log stores. */
export const quoted = (text: string) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/** The matchers of the labels that the pods of a component have in metrics servers and log stores, of the whole name. */
export const podMatchers = (namespace: string, clusterName: string) =>
  `namespace=${quoted(namespace)},pod=~${quoted(podPattern({ clusterName }))}`;

export const jobPodMatchers = (namespace: string, jobName: string) =>
  `namespace=${quoted(namespace)},pod=~${quoted(jobPodPattern(jobName))}`;

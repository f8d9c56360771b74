/** The letters in the generated parts of the names of pods. */
const generated = '[bcdfghjklmnpqrstvwxz2456789]';
/** What names of pods begin with is cut to this length. */
const maxBaseLength = 58;
/** Names of components up to this length are not cut: ten letters and two hyphens follow. */
const uncutLength = maxBaseLength - 12;

/** A string of the query languages of metrics servers and log stores. */
export const quoted = (text: string) =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

/**
 * The pods of a component by their names: those of a Deployment are named after a ReplicaSet, and those of a StatefulSet have
 * numbers. Matches are of the whole name, so that `web` does not match the pods of `web-api`.
 */
const podsOf = (clusterName: string) =>
  clusterName.length <= uncutLength
    ? `${clusterName}-(${generated}{1,10}-${generated}{5}|[0-9]+)`
    : `${clusterName.slice(0, maxBaseLength)}(-[0-9]+|-?${generated}{0,10}-?${generated}{5})`;

/** The matchers of the labels that the pods of a component have in metrics servers and log stores. */
export const podMatchers = (namespace: string, clusterName: string) =>
  `namespace=${quoted(namespace)},pod=~${quoted(podsOf(clusterName))}`;

/** The matchers of the pods of a Job. */
export const jobPodMatchers = (namespace: string, jobName: string) =>
  `namespace=${quoted(namespace)},pod=~${quoted(`${`${jobName}-`.slice(0, maxBaseLength)}${generated}{5}`)}`;

/** The texts of the autoscaling of a component. */
export const text = {
  set: 'Autoscaling',
  setTitle: (name: string) => `Autoscaling of ${name}`,
  setIntro:
    'The load sets the number of instances, within these bounds. A running component scales immediately. The maximum counts toward the quota.',
  remove: 'Remove autoscaling',
  removeTitle: (name: string) => `Remove the autoscaling of ${name}`,
  removeIntro: 'The component keeps its current number of instances.',
  fields: {
    minReplicas: 'Minimum instances',
    maxReplicas: 'Maximum instances',
    cpuPercent: 'CPU usage (%)',
    memoryPercent: 'Memory usage (%)',
  },
  hint: 'The target average, as a percentage of what instances request. One of the two is enough.',
  label: 'Autoscaling',
  bounds: (least: number, most: number) => `${least} to ${most} instances`,
  cpu: (percent: number) => `CPU at ${percent} %`,
  memory: (percent: number) => `memory at ${percent} %`,
};

interface Autoscaling {
  minReplicas: number;
  maxReplicas: number;
  cpuPercent: number | null;
  memoryPercent: number | null;
}

export const autoscalingText = ({ minReplicas, maxReplicas, cpuPercent, memoryPercent }: Autoscaling) =>
  [
    text.bounds(minReplicas, maxReplicas),
    ...(cpuPercent === null ? [] : [text.cpu(cpuPercent)]),
    ...(memoryPercent === null ? [] : [text.memory(memoryPercent)]),
  ].join(', ');

/** The texts of the autoscaling of a component. */
export const text = {
  set: 'Autoscaling',
  setTitle: (name: string) => `Autoscaling of ${name}`,
  setIntro:
    'Adjusts the number of instances to the load, between the minimum and the maximum. A running component scales immediately. The maximum counts toward the quota.',
  removeTitle: (name: string) => `Remove the autoscaling of ${name}`,
  removeIntro: 'The component keeps its current number of instances.',
  fields: {
    minReplicas: 'Minimum instances',
    maxReplicas: 'Maximum instances',
    cpuPercent: 'CPU usage (%)',
    memoryPercent: 'Memory usage (%)',
  },
  hint: 'Target average, as a percentage of the requested resources. Set CPU usage, memory usage or both.',
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

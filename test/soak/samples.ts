import type { TrellisProcess } from '../support/process.ts';

const mebibyte = 2 ** 20;

/** What a process holds after it has collected its garbage. */
export interface Sample {
  /** With what the heap refers to outside of it, such as buffers. */
  heapMiB: number;
  residentMiB: number;
}

/** The metrics of a process that has just collected its garbage: the sum of the samples with such names. */
export async function readMetrics({ child, log }: TrellisProcess): Promise<(name: RegExp) => number> {
  const collected = new Promise<void>((resolve) => {
    const listen = (chunk: Buffer) => {
      if (!String(chunk).includes('collected')) return;
      child.stdout!.off('data', listen);
      resolve();
    };
    child.stdout!.on('data', listen);
  });
  child.kill('SIGUSR2');
  await collected;
  const { url } = log().find(({ msg }) => msg === 'metrics are served')!;
  const lines = (await (await fetch(url)).text()).split('\n');
  return (name) =>
    lines.filter((line) => name.test(line)).reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

export async function sampleOf(server: TrellisProcess): Promise<Sample> {
  const sumOf = await readMetrics(server);
  return {
    heapMiB: (sumOf(/^nodejs_heap_size_used_bytes /) + sumOf(/^nodejs_external_memory_bytes /)) / mebibyte,
    residentMiB: sumOf(/^process_resident_memory_bytes /) / mebibyte,
  };
}

export const quantile = (values: number[], part: number) =>
  values.sort((one, other) => one - other)[Math.floor(part * (values.length - 1))] ?? Number.NaN;

export const medianOf = (samples: Sample[]): Sample => ({
  heapMiB: quantile(
    samples.map(({ heapMiB }) => heapMiB),
    0.5,
  ),
  residentMiB: quantile(
    samples.map(({ residentMiB }) => residentMiB),
    0.5,
  ),
});

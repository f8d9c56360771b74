import { strings } from '../strings.ts';
import { Meter } from '../ui/meter.tsx';

const text = strings.use;

const rounded = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 1 });
const millicores = (value: number) => text.cores(rounded(value / 1000));
const mebibytes = (value: number) =>
  value >= 1024 ? `${rounded(value / 1024)} GiB` : `${rounded(value)} MiB`;

export interface Resources {
  revision: number;
  usedCpuMillicores: number;
  totalCpuMillicores: number;
  usedMemoryMiB: number;
  totalMemoryMiB: number;
}

/** The usage of a team's quota in a region. A quota of 0 means no quota. */
export function QuotaBars({ resources }: { resources: Resources }) {
  const { usedCpuMillicores, totalCpuMillicores, usedMemoryMiB, totalMemoryMiB } = resources;
  const ofQuota = (used: number, total: number, format: (value: number) => string) => {
    const usedText = used === 0 ? text.unused : format(used);
    if (total === 0) return `${usedText} · ${text.noQuota}`;
    return used === 0
      ? `${usedText} · ${text.quota(format(total))}`
      : text.of(usedText, format(total), Math.round((used / total) * 100));
  };
  return (
    <>
      <Meter
        label={text.cpu}
        value={usedCpuMillicores}
        max={totalCpuMillicores}
        text={ofQuota(usedCpuMillicores, totalCpuMillicores, millicores)}
      />
      <Meter
        label={text.memory}
        value={usedMemoryMiB}
        max={totalMemoryMiB}
        text={ofQuota(usedMemoryMiB, totalMemoryMiB, mebibytes)}
      />
    </>
  );
}

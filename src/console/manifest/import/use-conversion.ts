import { useEffect, useState } from 'react';
import type { Conversion } from './conversion.ts';
import type { ImportFile } from './files.ts';
import { text } from './strings.ts';

export interface ConversionInput {
  files: readonly ImportFile[];
  application: string;
}

/** How long nothing has to be typed before the files are converted. */
const typingMs = 300;
/** How long a conversion may take. */
const maxMs = 30_000;

/** Converts files as they are typed, beside the page. A conversion whose input has changed is ended. */
export function useConversion({ files, application }: ConversionInput): Conversion | undefined {
  const key = JSON.stringify([files, application]);
  const [answer, setAnswer] = useState<{ key: string; conversion: Conversion }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key has all of them
  useEffect(() => {
    if (files.every((file) => !file.text?.trim())) return;
    let worker: Worker | undefined;
    const end = (conversion: Conversion) => {
      stop();
      setAnswer({ key, conversion });
    };
    const typing = setTimeout(() => {
      worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
      worker.addEventListener('message', ({ data }: MessageEvent<Conversion>) => end(data));
      worker.addEventListener('error', () => end({ failure: text.failed }));
      worker.postMessage({ files, application } satisfies ConversionInput);
    }, typingMs);
    const deadline = setTimeout(() => end({ failure: text.tooLong }), maxMs);
    const stop = () => {
      clearTimeout(typing);
      clearTimeout(deadline);
      worker?.terminate();
    };
    return stop;
  }, [key]);
  return answer?.key === key ? answer.conversion : undefined;
}

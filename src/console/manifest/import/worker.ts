import { conversionOf } from './conversion.ts';
import type { ConversionInput } from './use-conversion.ts';

// A large file takes seconds, for which the page would not respond.
self.addEventListener('message', ({ data }: MessageEvent<ConversionInput>) => {
  self.postMessage(conversionOf(data.files, data.application));
});

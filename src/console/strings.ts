import { acting } from './strings/acting.ts';
import { places } from './strings/places.ts';
import { shell } from './strings/shell.ts';
import { views } from './strings/views.ts';

/** Every text of the console, but for those of parts that have their own. */
export const strings = {
  product: 'Trellis',
  ...shell,
  ...places,
  ...acting,
  ...views,
};

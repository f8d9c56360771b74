import { ShownOnce } from '../ui/shown-once.tsx';
import { text } from './strings.ts';

export const secretOf = (payload: unknown) => (
  <ShownOnce value={(payload as { secret: string }).secret} notice={text.secretOnce} />
);

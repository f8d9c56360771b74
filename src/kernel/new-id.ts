import { randomUUID } from 'node:crypto';

/** A new random id: 32 hexadecimal digits. */
export const newId = (): string => randomUUID().replaceAll('-', '');

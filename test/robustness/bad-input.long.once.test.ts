import { badInput } from './bad-input.ts';

badInput({ hasEveryValue: true });

import { takesOver } from './takeover.ts';

takesOver(8);

import { takesOver } from './takeover.ts';

takesOver(64);

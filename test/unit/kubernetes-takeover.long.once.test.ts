import { takesOver } from './kubernetes-takeover.ts';

takesOver(64);

import { garbage } from './garbage.ts';

garbage(1);

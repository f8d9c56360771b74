import { isolation } from './isolation.ts';

isolation(150);

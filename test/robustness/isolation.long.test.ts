import { isolation } from './isolation.ts';

isolation(Number(process.env.ISOLATION_REQUESTS ?? 1_500));

import { actionsWith } from '../../kernel/access.ts';

export const applicationActions = actionsWith('Application', { publishApplication: {} });

import { actionsWith, changing } from '../../kernel/access.ts';

export const applicationActions = actionsWith({
  copyApplication: changing,
  closePreview: changing,
  createComponent: changing,
  createHttpRule: changing,
  createTcpRule: changing,
  deleteApplication: changing,
  deployApplication: changing,
  installApplication: changing,
  openPreview: changing,
  publishApplication: {},
  restartApplication: changing,
  rollbackApplication: changing,
  startApplication: changing,
  stopApplication: changing,
  updateApplication: changing,
  upgradeApplication: changing,
});

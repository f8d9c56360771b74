/** The actions in the audit log, by object type. */
const actions = {
  Enterprise: ['enterprise.bootstrap', 'secret_key.rotate', 'demo.create', 'seed'],
  User: ['user.create'],
  AccessToken: ['access_token.create', 'access_token.revoke'],
  Team: ['team.create', 'team.open_region', 'team.set_quota'],
  TeamMember: ['team.add_member', 'team.remove_member'],
  Certificate: ['certificate.add', 'certificate.delete'],
  Region: ['region.create'],
  Application: ['application.create', 'application.update', 'application.install', 'application.upgrade'],
  Component: ['component.create', 'component.close', 'component.upgrade'],
  Port: [
    'port.add',
    'port.delete',
    'port.open_outer',
    'port.close_outer',
    'port.open_inner',
    'port.close_inner',
    'port.change_protocol',
    'port.change_alias',
    'port.upgrade',
  ],
  HttpRule: [
    'http_rule.create',
    'http_rule.update',
    'http_rule.delete',
    'http_rule.publish',
    'http_rule.unpublish',
  ],
  TcpRule: [
    'tcp_rule.create',
    'tcp_rule.update',
    'tcp_rule.delete',
    'tcp_rule.publish',
    'tcp_rule.unpublish',
  ],
  Template: ['template.publish'],
} as const;

/** The type of an object that events are about. */
export type SubjectType = keyof typeof actions;
export type EventAction<S extends SubjectType = SubjectType> = (typeof actions)[S][number];

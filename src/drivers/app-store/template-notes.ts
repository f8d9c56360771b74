/** The note on a key of a template that an install does not use. */
interface Note {
  reason: string;
  /** Whether nothing is lost with a value. Null, false and empty values never are a loss. */
  isMoot?: (value: unknown) => boolean;
}

const always = () => true;
const identity: Note = {
  reason: 'Identifies something in the platform that the template comes from.',
  isMoot: always,
};
const origin: Note = { reason: 'Describes how the template was made. It has no effect.', isMoot: always };
const scaling: Note = {
  reason: 'Components are scaled with scaleComponent, without limits and steps.',
  isMoot: always,
};
const credential: Note = {
  reason:
    'Credentials of registries are installed with acceptsCredentials alone, where the team has none for the host of the image.',
};

/** Why keys of a template are not used, by their path. Other keys that are not used are unknown. */
export const templateNotes: { [path: string]: Note } = {
  template_version: { reason: 'The version of the format.', isMoot: always },
  plugins: { reason: 'Trellis has no plugins.' },
  app_config_groups: {
    reason: 'Trellis has no configuration groups. Set the variables of the components with setVariables.',
  },
  ingress_stream_routes: {
    reason: 'TCP ports that are open to the outside get default rules. Change them with updateTcpRule.',
  },
  'apps[].service_alias': {
    reason: 'Aliases are unique in a team and region. An installed component gets its own.',
    isMoot: always,
  },
  'apps[].service_name': identity,
  'apps[].category': origin,
  'apps[].service_source': origin,
  'apps[].deploy_version': origin,
  'apps[].share_type': origin,
  'apps[].arch': { reason: 'The cluster chooses nodes by the platforms of the image.' },
  'apps[].labels': { reason: 'Components have no labels.' },
  'apps[].mnt_relation_list': {
    reason: 'A volume belongs to one component. Volumes of other components are not mounted.',
  },
  'apps[].component_monitors': { reason: 'Trellis does not collect metrics of components.' },
  'apps[].extend_method_map.max_node': scaling,
  'apps[].extend_method_map.step_node': scaling,
  'apps[].extend_method_map.max_memory': scaling,
  'apps[].extend_method_map.step_memory': scaling,
  'apps[].extend_method_map.is_restart': {
    reason: 'A deploy replaces instances by itself where it has to.',
    isMoot: always,
  },
  'apps[].service_image.hub_url': {
    reason: 'The host of the registry is a part of the image.',
    isMoot: always,
  },
  'apps[].service_image.namespace': { reason: 'The namespace is a part of the image.', isMoot: always },
  'apps[].service_image.is_trust': origin,
  'apps[].service_image.hub_user': credential,
  'apps[].service_image.hub_password': credential,
  'apps[].port_map_list[].tenant_id': identity,
  'apps[].port_map_list[].name': { reason: 'Ports are named by their alias.', isMoot: always },
  'apps[].probes[].service_id': identity,
  'apps[].probes[].probe_id': identity,
  'ingress_http_routes[].default_domain': {
    reason: 'Rules of an install have the default domain of their port.',
    isMoot: (value) => value === true,
  },
  'ingress_http_routes[].ssl': {
    reason: 'A certificate belongs to a team. Add one with addCertificate, and set it with updateHttpRule.',
  },
  'ingress_http_routes[].websocket': { reason: 'Every HTTP rule passes WebSockets.', isMoot: always },
  'ingress_http_routes[].load_balancing': { reason: 'Rules share requests by their weight.' },
};

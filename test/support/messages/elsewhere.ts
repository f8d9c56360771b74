/**
 * Templates of messages that need more than the world of these tests, each with what it needs and, where one renders it, a test. `send`
 * looks at what those render as well.
 */
export const elsewhere: Readonly<Record<string, string>> = {
  'The service name ${name} is reserved for another Service of':
    'a manifest: test/api/component/names.test.ts',
  'The region ${name} does not allow root. The component is installed without it.':
    'a key that an install leaves out',
  'The ${scope} variable ${name} of the component ${componentName} requires a value':
    'a template that requires a value',
  'Certificate ${index + 1}':
    'the place of a certificate in a chain: test/api/certificate/chains.once.test.ts',
  'Its access key belongs to the team ${original.team.name}: the copy cannot be upgraded.':
    'what a copy leaves out: test/api/application/copy.shared.test.ts',
  'Its template requires the variable ${missing.name}: the component is not deployed.':
    'what a copy leaves out: test/api/application/copy.shared.test.ts',
  'The region ${region.name} does not allow root: the image must run as another user.':
    'what a copy leaves out',
  'The component ${name} is stopped, and stays stopped. Deploy it, or send \\`startStopped\\`.':
    'the answer to a call of a deploy hook',
  'The team ${team.name} has ${has} TCP rules in the region ${region.name}. The limit is ${maxTcpRules}. Delete some first.':
    'hundreds of objects, or more',
  'The region ${region.name} has no free TCP port.': 'hundreds of objects, or more',
  '\\`autoSsl\\` requires cert-manager in the region ${region.name}. ${missing}': 'a cluster',
  'The certificate issuer of the region ${region.name} is in use by the rules of ${names}, which have autoSsl. Change them first.':
    'a cluster: test/api/gateway-rule/issued-certificates.shared.test.ts',
  'In the region ${region.name}, the team ${team.name} has':
    'an unfinished job: test/api/region/life.test.ts',
  '${user.email} is a member of the team ${team.name} through a group of the identity provider. Change the role or the members of the group.':
    'an identity provider',
  'the service name ${component.serviceName}': 'a part of a list of what an import leaves out',
  'the volume ${volume.name} at ${volume.path}': 'a part of a list of what an import leaves out',
  'the variable ${name}': 'a part of a list of what an import leaves out',
  'root, which the region ${region.name} does not allow: the image must run as another user':
    'a part of a list of what an import leaves out',
  'Gateway rules point at the port ${number} of the component ${name}. Delete them first.':
    'a manifest that removes ports',
  'of another team ${at}': 'a manifest that takes an endpoint of another team',
  "The command after the first deploy was not run: the component ${name} ${component ? 'was not deployed' : 'is missing'}.":
    'the reason of a preview: test/api/preview/preview.test.ts',
  'The preview ${key} is being removed from the cluster. Try again later, or use another key.':
    'a preview whose removal takes a while',
  'Another request opened the preview ${input.key} at the same time. Send this request again.':
    'two requests at the same time',
  'The region ${same.name} uses this cluster with the namespace prefix ${prefixOf(region)}. Choose another \\`cluster.namespacePrefix\\`.':
    'two regions of a cluster: test/api/region/kubernetes/shared-cluster.once.test.ts',
  'The region ${region.name} is open for teams, which have namespaces in its cluster.': 'a cluster',
  'The release ${number} of the component ${name} cannot be deployed: it has more than ${configurationLimit} of files and environment variables.':
    'test/api/component/configuration-size.test.ts',
  "Must not be the name of one of the roles ${roles.join(', ')}":
    'the names of the roles that there always are',
  'The team ${team.name} already has ${maxAccounts} service accounts.': 'hundreds of objects, or more',
  'The role has more rights than you have in the team ${team.name}.':
    'a limited member: test/api/role/role.test.ts',
  'The team ${team.name} already has ${maxWebhooks} webhooks.': 'hundreds of objects, or more',
  'Another request published the template ${groupName} at the same time. Try again.':
    'two requests at the same time',
  'The key ${key} belongs to the template ${existing.name} of another catalogue. Use another key.':
    'two catalogues',
  'The template ${name} has ${maxVersions} versions, which is the limit. Delete versions that are not used.':
    'hundreds of objects, or more',
  'Another request upgraded ${target.name} to ${lowest} at the same time. Try again.':
    'two requests at the same time',
  'The upgrade of ${group.name} to ${versions.toVersion} cannot be rolled back, because an earlier version of Trellis without rollbacks made the upgrade.':
    'an upgrade of an earlier version of Trellis',
  '${shownGroup.name} was not installed from a store.': 'a group from before groups had a store',
  'Another request changed ${group.name} to ${group.templateVersion} at the same time. Try again.':
    'two requests at the same time',
  'The component ${component.name} already depends on ${maxDependencies} components.':
    'hundreds of objects, or more',
  'The component ${byId.get(refused.dependencyId)!.name} provides secrets to its dependents. Adding the dependency requires the right to read secrets.':
    'a limited member: test/api/component/dependency-secrets.shared.test.ts',
  'Components that you cannot change depend on the component ${found.name} and would get its new connection variable ${nameOf.get(found.id)}. Ask a person who can change them.':
    'a limited member: test/api/member/limited-reach.shared.test.ts',
  'Components that you cannot change depend on the component ${found.name}, whose connection variables can therefore have at most ${maxProvidedBytes / 1024} KiB. Ask a person who can change them.':
    'a limited member: test/api/member/limited-reach.shared.test.ts',
  'The domain ${domain} is shared with a component that you cannot change, and has one certificate for all of its rules. Ask a person who can change all components of the team.':
    'a limited member: test/api/gateway-rule/shared-certificate.test.ts',
  'Moving the application into the namespace of the team ${team.name} requires the right to change all applications of the team.':
    'a limited member: test/api/member/limited-reach.shared.test.ts',
  'The component ${row.name} cannot be in the namespace of the team, because its name in the cluster or one of its service names is taken there.':
    'two applications of which one moves to the namespace of the other',
  'The volume ${met.volume} would have the same name in the namespace of the team as a volume of another component there.':
    'test/api/component/names.test.ts',
  'With the cluster name ${clusterName}, a Service would get the service name ${service.name} of':
    'test/api/component/names.test.ts',
  'The volume ${volume} would have the same name in the cluster as a volume of ${ofAnother}.':
    'test/api/component/names.test.ts',
  'The component ${name} cannot be deployed, because an older component of the team in this region has the same name in the cluster. Replace the component with one that has another \\`clusterName\\`.':
    'a database of an earlier version',
  'The component ${own.name} cannot be deployed, because its volume ${volume} has the same name in the cluster as a volume of an older component of the team in this region. Use a volume with another name.':
    'a database of an earlier version',
  'The component ${name} has ${kib(bytes)} of files and environment variables, and can have at most ${configurationLimit}.':
    'test/api/component/configuration-size.test.ts',
  'The component ${name} cannot be deployed: its configuration takes ${kib(sealedSpec.length)} after encryption, and the limit is ${kib(maxStoredSpec)}. Make files and environment variables smaller.':
    'test/api/component/configuration-size.test.ts',
  'The files and environment variables of the component ${name}, with those that its dependencies provide, have more than ${configurationLimit}. Make them smaller and deploy it again.':
    'test/api/component/configuration-size.test.ts',
  'The volume ${name} is shared with other components and cannot have snapshots: restoring one would replace the data of all these components.':
    'a cluster with shared volumes',
  "The snapshot ${name} is not ready${snapshot.problem ? `: ${snapshot.problem}` : '.'}":
    'a cluster that makes a snapshot slowly',
  'The snapshot ${name} is in use: a volume of the component ${component.name} waits for its data. Start the component first.':
    'a cluster that restores a volume',
  'The component ${name} has ${count} environment variables, and can have at most ${maxVariablesInComponent}.':
    'hundreds of objects, or more',
  'The volume ${name} cannot be shared: the region ${region.name} has no storage class for volumes that components share. An administrator can set one as \\`cluster.sharedStorageClass\\`.':
    'a cluster: test/api/component/shared-volumes.test.ts',
  'The domain of the region ${region.name} changed at the same time. Try again.':
    'two requests at the same time',
  'The domain ${name} is in use by, or reserved for, a component that you cannot change. Use another domain, or ask a person who can change all components of the team.':
    'a limited member: test/api/gateway-rule/wildcards.test.ts',
  "${count} ${count === 1 ? 'snapshot' : 'snapshots'} of the schedule ${count === 1 ? 'is' : 'are'} still being made, and ${keep} ${keep === 1 ? 'is' : 'are'} kept. If none gets ready, the cluster may lack a snapshot controller or the driver of its storage.":
    'a cluster that makes no snapshot ready: test/api/component/snapshot-schedules.test.ts',
  'The snapshot ${name} is being deleted by the schedule of the volume.':
    'a cluster that deletes a snapshot slowly',
};

import { amountOf } from './defaults.ts';
import { type Cause, invalidValue, notSupported, required } from './status.ts';

export const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
export const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
export const dns1035 = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
export const text = JSON.stringify;
export const isPort = (port: unknown) => typeof port === 'number' && port >= 1 && port <= 65_535;
export const badName = 'must consist of lower case alphanumeric characters or the separators of its form';

export function podCauses(spec: any, at: string): Cause[] {
  const causes: Cause[] = [];
  if (!spec.containers?.length) causes.push(required(`${at}.containers`));
  const volumes = new Set((spec.volumes ?? []).map(({ name }: any) => name));
  for (const [index, { name }] of (spec.volumes ?? []).entries()) {
    if (!label.test(name ?? ''))
      causes.push(invalidValue(`${at}.volumes[${index}].name`, text(name), badName));
  }
  for (const [index, container] of (spec.containers ?? []).entries()) {
    const field = `${at}.containers[${index}]`;
    if (!label.test(container.name ?? ''))
      causes.push(invalidValue(`${field}.name`, text(container.name), badName));
    if (!container.image) causes.push(required(`${field}.image`));
    const { requests = {}, limits = {} } = container.resources ?? {};
    for (const [each, value] of Object.entries(requests)) {
      if (limits[each] !== undefined && amountOf(value) > amountOf(limits[each])) {
        causes.push(
          invalidValue(
            `${field}.resources.requests`,
            text(value),
            `must be less than or equal to ${each} limit`,
          ),
        );
      }
    }
    for (const [number, port] of (container.ports ?? []).entries()) {
      const of = `${field}.ports[${number}]`;
      if (port.containerPort === undefined || port.containerPort === 0)
        causes.push(required(`${of}.containerPort`));
      else if (!isPort(port.containerPort)) {
        causes.push(
          invalidValue(
            `${of}.containerPort`,
            text(port.containerPort),
            'must be between 1 and 65535, inclusive',
          ),
        );
      }
      if (port.name !== undefined && !/^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(port.name)) {
        causes.push(invalidValue(`${of}.name`, text(port.name), 'must be no more than 15 characters'));
      }
    }
    for (const [number, { name }] of (container.env ?? []).entries()) {
      if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name)) {
        causes.push(
          invalidValue(
            `${field}.env[${number}].name`,
            text(name),
            'a valid environment variable name must consist of alphabetic characters',
          ),
        );
      }
    }
    for (const [number, mount] of (container.volumeMounts ?? []).entries()) {
      const of = `${field}.volumeMounts[${number}]`;
      if (!volumes.has(mount.name))
        causes.push({
          reason: 'FieldValueNotFound',
          message: `Not found: ${text(mount.name)}`,
          field: `${of}.name`,
        });
      if (container.volumeMounts.slice(0, number).some((each: any) => each.mountPath === mount.mountPath)) {
        causes.push(invalidValue(`${of}.mountPath`, text(mount.mountPath), 'must be unique'));
      }
    }
  }
  return causes;
}

const atLeastZero = 'must be greater than or equal to 0';

/** What a server checks of the specification of a Job, and twice when it changes. */
export function jobSpecCauses(spec: any): Cause[] {
  const counts = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
  ];
  const causes = counts.flatMap((name) =>
    spec[name] < 0 ? [invalidValue(`spec.${name}`, text(spec[name]), atLeastZero)] : [],
  );
  if (!['NonIndexed', 'Indexed'].includes(spec.completionMode)) {
    causes.push(notSupported('spec.completionMode', spec.completionMode, ['NonIndexed', 'Indexed']));
  }
  return causes;
}

export function jobCauses({ metadata, spec }: any): Cause[] {
  const causes = jobSpecCauses(spec);
  if (metadata.name?.length > 63) {
    const why = 'must be no more than 63 characters';
    causes.push(invalidValue('spec.template.labels', text(metadata.name), why));
  }
  const pod = spec.template?.spec ?? {};
  if (!['OnFailure', 'Never'].includes(pod.restartPolicy)) {
    causes.push(required('spec.template.spec.restartPolicy', 'valid values: "OnFailure", "Never"'));
  }
  return [...causes, ...podCauses(pod, 'spec.template.spec')];
}

export function workloadCauses(spec: any, isStateful: boolean): Cause[] {
  const causes: Cause[] = [];
  const labels = spec.template?.metadata?.labels;
  const wanted = spec.selector?.matchLabels;
  if (!spec.selector) causes.push(required('spec.selector'));
  if (spec.replicas < 0)
    causes.push(invalidValue('spec.replicas', text(spec.replicas), 'must be greater than or equal to 0'));
  const matches = wanted && Object.entries(wanted).every(([key, value]) => labels?.[key] === value);
  if (!matches) {
    causes.push(
      invalidValue(
        'spec.template.metadata.labels',
        `map[string]string(${text(labels)})`,
        '`selector` does not match template `labels`',
      ),
    );
  }
  const claims = (spec.volumeClaimTemplates ?? []).map(({ metadata }: any) => ({ name: metadata.name }));
  const pod = spec.template?.spec ?? {};
  const withClaims = isStateful ? { ...pod, volumes: [...(pod.volumes ?? []), ...claims] } : pod;
  causes.push(...podCauses(withClaims, 'spec.template.spec'));
  const minimum = spec.minReadySeconds ?? 0;
  if (!isStateful && spec.progressDeadlineSeconds <= minimum) {
    causes.push(
      invalidValue(
        'spec.progressDeadlineSeconds',
        text(spec.progressDeadlineSeconds),
        'must be greater than minReadySeconds',
      ),
    );
  }
  return causes;
}

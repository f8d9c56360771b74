import type { Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const condition: Schema = {
  type: 'object',
  required: ['status', 'type'],
  properties: {
    type: text,
    status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
    reason: text,
    message: text,
    lastTransitionTime: text,
    observedGeneration: { type: 'integer' },
  },
};

const object = (spec: Schema, status: Schema): Schema => ({
  type: 'object',
  properties: { apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status },
});

/**
 * The parts of kinds that come with programs in a cluster, from their published definitions:
 * `deploy/crds/cert-manager.io_certificates.yaml` of cert-manager,
 * `client/config/crd/snapshot.storage.k8s.io_volumesnapshots.yaml` and its `…contents.yaml` of external-snapshotter, and
 * `config/crd/standard/gateway.networking.k8s.io_referencegrants.yaml` of Gateway API.
 */
export const otherSchemas: Record<string, Schema> = {
  ReferenceGrant: object(
    {
      type: 'object',
      required: ['from', 'to'],
      properties: {
        from: {
          type: 'array',
          items: {
            type: 'object',
            required: ['group', 'kind', 'namespace'],
            properties: { group: text, kind: text, namespace: text },
          },
          'x-kubernetes-list-type': 'atomic',
        },
        to: {
          type: 'array',
          items: {
            type: 'object',
            required: ['group', 'kind'],
            properties: { group: text, kind: text, name: text },
          },
          'x-kubernetes-list-type': 'atomic',
        },
      },
    },
    { type: 'object' },
  ),
  VolumeSnapshot: object(
    {
      type: 'object',
      required: ['source'],
      properties: {
        source: {
          type: 'object',
          properties: { persistentVolumeClaimName: text, volumeSnapshotContentName: text },
        },
        volumeSnapshotClassName: text,
      },
    },
    {
      type: 'object',
      properties: {
        boundVolumeSnapshotContentName: text,
        creationTime: text,
        readyToUse: { type: 'boolean' },
        restoreSize: text,
        error: { type: 'object', properties: { message: text, time: text } },
      },
    },
  ),
  VolumeSnapshotContent: object(
    {
      type: 'object',
      required: ['deletionPolicy', 'driver', 'source', 'volumeSnapshotRef'],
      properties: {
        deletionPolicy: { type: 'string', enum: ['Delete', 'Retain'] },
        driver: text,
        source: { type: 'object', properties: { volumeHandle: text, snapshotHandle: text } },
        sourceVolumeMode: text,
        volumeSnapshotClassName: text,
        volumeSnapshotRef: {
          type: 'object',
          properties: { apiVersion: text, kind: text, namespace: text, name: text, uid: text },
        },
      },
    },
    {
      type: 'object',
      properties: {
        snapshotHandle: text,
        creationTime: { type: 'integer' },
        readyToUse: { type: 'boolean' },
        restoreSize: { type: 'integer' },
        error: { type: 'object', properties: { message: text, time: text } },
      },
    },
  ),
  Certificate: object(
    {
      type: 'object',
      required: ['issuerRef', 'secretName'],
      properties: {
        secretName: text,
        commonName: text,
        dnsNames: { type: 'array', items: text, 'x-kubernetes-list-type': 'atomic' },
        duration: text,
        renewBefore: text,
        issuerRef: {
          type: 'object',
          required: ['name'],
          properties: { name: text, kind: text, group: text },
        },
        privateKey: {
          type: 'object',
          properties: {
            algorithm: { type: 'string', enum: ['RSA', 'ECDSA', 'Ed25519'] },
            size: { type: 'integer' },
            rotationPolicy: { type: 'string', enum: ['Never', 'Always'] },
          },
        },
        usages: { type: 'array', items: text },
      },
    },
    {
      type: 'object',
      properties: {
        conditions: {
          type: 'array',
          items: condition,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['type'],
        },
        notBefore: text,
        notAfter: text,
        renewalTime: text,
        revision: { type: 'integer' },
        lastFailureTime: text,
        failedIssuanceAttempts: { type: 'integer' },
        nextPrivateKeySecretName: text,
      },
    },
  ),
};

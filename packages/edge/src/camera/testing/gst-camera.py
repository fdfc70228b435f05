"""An independent camera: GStreamer's RTSP server with a moving test picture. Prints its port, serves until killed.

Arguments: pipeline [user password [digest]]. In the pipeline the element named `size` (a capsfilter) is changed
from 640x480 to 320x240 when a line comes on standard input.
"""
import sys
import gi

gi.require_version('Gst', '1.0')
gi.require_version('GstRtsp', '1.0')
gi.require_version('GstRtspServer', '1.0')
from gi.repository import GLib, Gst, GstRtsp, GstRtspServer  # noqa: E402

Gst.init(None)
pipeline, *credentials = sys.argv[1:]

factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(f'( {pipeline} )')
factory.set_shared(True)
server = GstRtspServer.RTSPServer()
server.set_address('127.0.0.1')
server.set_service('0')

if credentials:
    user, password, *method = credentials
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string('media.factory.role', 'user')
    if method == ['digest']:
        auth.set_supported_methods(GstRtsp.RTSPAuthMethod.DIGEST)
        auth.add_digest(user, password, token)
    else:
        auth.add_basic(GstRtspServer.RTSPAuth.make_basic(user, password), token)
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    role = Gst.Structure.new_from_string(
        'user,media.factory.access=(boolean)true,media.factory.construct=(boolean)true')
    permissions.add_role_from_structure(role)
    factory.set_permissions(permissions)

media_elements = []
factory.connect('media-configure', lambda _, media: media_elements.append(media.get_element()))


def shrink(_source, _condition):
    if not sys.stdin.readline():
        return False
    for element in media_elements:
        size = element.get_by_name('size')
        if size:
            size.set_property('caps', Gst.Caps.from_string('video/x-raw,width=320,height=240,framerate=15/1'))
    return True


GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, shrink)
server.get_mount_points().add_factory('/stream1', factory)
server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()

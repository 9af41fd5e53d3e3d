#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs inside a guest root: /boot/vmlinuz, and /boot/initramfs that mounts this root by 9p,
# read-only, with a tmpfs above it, and the lab's folder on /lab.
set -eu
version=$(basename /lib/modules/*)
mv "/boot/vmlinuz-$version" /boot/vmlinuz
tree=$(mktemp -d)
mkdir -p "$tree"/bin "$tree"/modules "$tree"/proc "$tree"/sys "$tree"/dev "$tree"/below "$tree"/above "$tree"/root
cp /bin/busybox "$tree"/bin/

# busybox's insmod reads no xz: modules are unpacked, in the order in which they load
modprobe -S "$version" -D -a virtio_pci 9pnet_virtio 9p overlay | while read -r how path _; do
	[ "$how" = insmod ] || continue
	name=$(basename "${path%.xz}")
	[ -f "$tree/modules/$name" ] && continue
	case $path in
	*.xz) xz -dc "$path" >"$tree/modules/$name" ;;
	*) cp "$path" "$tree/modules/$name" ;;
	esac
	echo "$name" >>"$tree"/modules/order
done

cat >"$tree"/init <<'INIT'
#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for m in $($b cat /modules/order); do $b insmod /modules/$m; done
options=trans=virtio,version=9p2000.L,msize=524288,ro
$b mount -t 9p -o $options,cache=loose root /below || { echo "lab: no root over 9p"; exec $b sh; }
$b mount -t tmpfs -o size=50% tmpfs /above
$b mkdir -p /above/upper /above/work
$b mount -t overlay -o lowerdir=/below,upperdir=/above/upper,workdir=/above/work overlay /root
$b mkdir -p /root/lab
$b mount -t 9p -o $options,cache=none lab /root/lab || { echo "lab: no /lab over 9p"; exec $b sh; }
for d in proc sys dev; do $b mount --move /$d /root/$d; done
exec $b switch_root /root /bin/sh /lab/init
INIT
chmod +x "$tree"/init
(cd "$tree" && find . | cpio -o -H newc --quiet) | gzip -1 >/boot/initramfs
rm -rf "$tree"
